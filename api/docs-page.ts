/** GET /api/docs: the OpenAPI document as one page, without a script and without anything from elsewhere. */
import { errorWords } from '../contract/error-words.ts';
import { endingErrorCodes, type ErrorCode } from '../contract/errors.ts';
import { escapeMarkup } from '../domain/plain-text.ts';
import type { ApiOperation, OpenApiDocument } from './openapi.ts';
import type { JsonObject } from './json-schema.ts';
import { problemStatus } from './problem.ts';

/** It holds no data and runs nothing, so a browser may read it without a token. */
export const docsPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

interface Call {
  path: string;
  method: string;
  operation: ApiOperation;
}

export function docsPage(document: OpenApiDocument): string {
  const groups = groupsOf(document);
  const refusals = Object.entries(problemStatus) as [ErrorCode, number][];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Offshoot API</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>
<h1>Offshoot API ${escapeMarkup(String(document.info['version']))}</h1>
<p>${escapeMarkup(String(document.info['description']))}</p>
${contents(groups)}
<h2 id="calling">Calling it</h2>
<p>Every operation below needs <code>Authorization: Bearer &lt;token&gt;</code>. Two addresses need no token: this page, and the same
as an OpenAPI document, <a href="/api/openapi.json">/api/openapi.json</a>. Every call, also of these two, has to name the server in
<code>Host</code> by <code>localhost</code>, a loopback address, an address that it listens on, or a name of
<code>server.names</code>, and may not come from a page of another origin.</p>
${groups.map(([name, calls]) => `<h2 id="at-${name}">/api/${name}</h2>\n${calls.map(section).join('\n')}`).join('\n')}
<h2 id="answers">Answers</h2>
${Object.entries(document.components.schemas).map(schemaSection).join('\n')}
<h2 id="problems">Problems</h2>
<p>A refused call answers <code>application/problem+json</code> with one of these as its <code>code</code>. Its <code>detail</code> and
<code>hint</code> say what it is in this case.</p>
${codeTable(['code', 'status'], refusals)}
<h2 id="endings">Endings</h2>
<p>An invocation that was accepted and did not complete has one of these as its <code>errorCode</code>, beside <code>error</code> and
<code>errorHint</code>.</p>
${codeTable(
  ['errorCode'],
  endingErrorCodes.map((code) => [code]),
)}
</body></html>
`;
}

/** By the first word of the path below /api. */
function groupsOf(document: OpenApiDocument): [string, Call[]][] {
  const groups = new Map<string, Call[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    const name = escapeMarkup(path.split('/')[2] ?? '');
    const calls = Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation,
    }));
    groups.set(name, [...(groups.get(name) ?? []), ...calls]);
  }
  return [...groups];
}

function contents(groups: [string, Call[]][]): string {
  const rows = groups.map(([name, calls]) => {
    const links = calls.map(({ operation: { operationId } }) => anchor(operationId));
    return `<tr><th><a href="#at-${name}">/api/${name}</a></th><td>${links.join(' ')}</td></tr>`;
  });
  const row = (id: string, name: string, about: string) =>
    `<tr><th><a href="#${id}">${name}</a></th><td>${about}</td></tr>`;
  return `<nav><table>
${row('calling', 'Calling it', 'token and address')}
${rows.join('\n')}
${row('answers', 'Answers', 'what the operations answer with')}
${row('problems', 'Problems', 'why a call was refused')}
${row('endings', 'Endings', 'why an invocation did not complete')}
</table></nav>`;
}

function codeTable(heads: string[], rows: [ErrorCode, number?][]): string {
  const head = [...heads, 'meaning', 'what to do'].map((name) => `<th>${name}</th>`);
  const body = rows.map(([code, status]) => {
    const { means, toDo } = errorWords[code];
    const number = status === undefined ? '' : `<td>${status}</td>`;
    return `<tr id="${code}"><td><code>${code}</code></td>${number}<td>${sentence(means)}</td><td>${sentence(toDo)}</td></tr>`;
  });
  return `<table class="codes"><tr>${head.join('')}</tr>\n${body.join('\n')}</table>`;
}

/** What stands between backquotes is code. */
function sentence(text: string): string {
  return escapeMarkup(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

function section({ path, method, operation }: Call): string {
  const rows = operation.parameters.map(
    (one) =>
      `<tr><td><code>${escapeMarkup(String(one['name']))}</code></td><td>${escapeMarkup(String(one['in']))}</td><td><code>${escapeMarkup(JSON.stringify(one['schema']))}</code></td></tr>`,
  );
  const parameters = rows.length === 0 ? '' : `<table>${rows.join('')}</table>`;
  const body = operation.requestBody
    ? `<p>Body:</p><pre>${pretty(schemaIn(operation.requestBody))}</pre>`
    : '';
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status < '300')
    .map(
      ([status, response]) =>
        `<li>${status}: ${escapeMarkup(String(response['description']))} ${link(schemaIn(response))}</li>`,
    );
  return `<section id="${escapeMarkup(operation.operationId)}"><h3><code>${method.toUpperCase()} ${escapeMarkup(path)}</code></h3>
<p>${sentence(operation.summary)}</p>${parameters}${body}<ul>${answers.join('')}</ul></section>`;
}

function schemaSection([name, schema]: [string, JsonObject]): string {
  return `<section id="${escapeMarkup(name)}"><h3>${escapeMarkup(name)}</h3><pre>${pretty(schema)}</pre></section>`;
}

/** The schema of the first kind of content. */
function schemaIn(holder: JsonObject): JsonObject {
  const content = Object.values((holder['content'] ?? {}) as Record<string, JsonObject>);
  return (content[0]?.['schema'] ?? {}) as JsonObject;
}

function link(schema: JsonObject): string {
  const ref = schema['$ref'];
  const name = typeof ref === 'string' ? (ref.split('/').at(-1) ?? '') : '';
  return name === '' ? '' : anchor(name);
}

function anchor(id: string): string {
  return `<a href="#${escapeMarkup(id)}">${escapeMarkup(id)}</a>`;
}

function pretty(schema: JsonObject): string {
  return escapeMarkup(JSON.stringify(schema, null, 2));
}

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
pre{overflow:auto;max-height:24rem;padding:.75rem;border:1px solid #8886;border-radius:4px}table{border-collapse:collapse}
th,td{padding:.2rem .8rem .2rem 0;vertical-align:top;text-align:left;font-weight:normal}td code{overflow-wrap:anywhere}
code,pre{font:13px/1.4 ui-monospace,monospace}h2{margin-top:2.5rem}h3{margin-top:1.75rem}
nav{padding:.5rem .75rem;border:1px solid #8886;border-radius:4px}nav td a{margin-right:.6rem}nav th{white-space:nowrap}
.codes{font-size:14px;width:100%}.codes th{opacity:.7}.codes tr+tr{border-top:1px solid #8884}.codes td:first-child code{overflow-wrap:normal}
:target{background:#8882}`;
