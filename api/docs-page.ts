/** GET /api/docs: the OpenAPI document as one page, without a script and without anything from elsewhere. */
import { escapeMarkup } from '../domain/plain-text.ts';
import type { ApiOperation, OpenApiDocument } from './openapi.ts';
import type { JsonObject } from './json-schema.ts';
import { problemStatus } from './problem.ts';

/** It holds no data and runs nothing, so a browser may read it without a token. */
export const docsPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export function docsPage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(path, method, operation)),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Offshoot API</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>
<h1>Offshoot API ${escapeMarkup(String(document.info['version']))}</h1>
<p>${escapeMarkup(String(document.info['description']))} Every call needs <code>Authorization: Bearer &lt;token&gt;</code>.
The same as a document: <a href="/api/openapi.json">/api/openapi.json</a>.</p>
${operations.join('\n')}
<h2>Answers</h2>
${Object.entries(document.components.schemas).map(schemaSection).join('\n')}
<h2>Problems</h2>
<p>A refused call answers <code>application/problem+json</code> with one of these as its <code>code</code>.</p>
<table>${Object.entries(problemStatus)
    .map(
      ([code, status]) => `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td></tr>`,
    )
    .join('')}</table>
</body></html>
`;
}

function section(path: string, method: string, operation: ApiOperation): string {
  const rows = operation.parameters.map(
    (one) =>
      `<tr><td><code>${escapeMarkup(String(one['name']))}</code></td><td>${escapeMarkup(String(one['in']))}</td><td><code>${escapeMarkup(JSON.stringify(one['schema']))}</code></td></tr>`,
  );
  const body = operation.requestBody
    ? `<p>Body:</p><pre>${pretty(schemaIn(operation.requestBody))}</pre>`
    : '';
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status < '300')
    .map(
      ([status, response]) =>
        `<li>${status}: ${escapeMarkup(String(response['description']))} ${link(schemaIn(response))}</li>`,
    );
  return `<section id="${escapeMarkup(operation.operationId)}"><h2><code>${method.toUpperCase()} ${escapeMarkup(path)}</code></h2>
<p>${escapeMarkup(operation.summary)}</p><table>${rows.join('')}</table>${body}<ul>${answers.join('')}</ul></section>`;
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
  return name === '' ? '' : `<a href="#${escapeMarkup(name)}">${escapeMarkup(name)}</a>`;
}

function pretty(schema: JsonObject): string {
  return escapeMarkup(JSON.stringify(schema, null, 2));
}

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
pre{overflow:auto;max-height:24rem;padding:.75rem;border:1px solid #8886;border-radius:4px}table{border-collapse:collapse}
td{padding:.2rem .8rem .2rem 0;vertical-align:top}code,pre{font:13px/1.4 ui-monospace,monospace}h2{margin-top:2.5rem}`;
