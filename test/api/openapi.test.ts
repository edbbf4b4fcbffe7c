import { expect, test } from '@jest/globals';
import type { OpenApiDocument } from '../../api/openapi.ts';
import { endingErrorCodes, requestErrorCodes } from '../../contract/errors.ts';
import { operations, type OperationName } from '../../contract/operations.ts';
import { fakeApi } from './api-fixture.ts';

async function served(): Promise<OpenApiDocument> {
  const response = await fakeApi().ask('GET', '/api/openapi.json', { token: null });
  expect(response.status).toBe(200);
  return (await response.json()) as OpenApiDocument;
}

test('every declared operation is in the document, and the event streams', async () => {
  const document = await served();
  const described = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods).map((operation) => operation.operationId))
    .toSorted();
  expect(described).toEqual(
    [...Object.keys(operations), 'watchSession', 'watchSubagent'].toSorted(),
  );
  for (const name of Object.keys(operations) as OperationName[]) {
    const { path, method, summary } = operations[name];
    expect(document.paths[path]?.[method.toLowerCase()]?.summary).toBe(summary);
  }
});

test('every reference resolves, and no schema is left over', async () => {
  const document = await served();
  const text = JSON.stringify(document);
  const refs = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? ''));
  const known = Object.keys(document.components.schemas).map((id) => `#/components/schemas/${id}`);
  expect([...refs].toSorted()).toEqual(known.toSorted());
  expect(text).not.toContain('$defs');
});

test('every name in a path is a required parameter, and no field is described twice', async () => {
  const document = await served();
  for (const [path, methods] of Object.entries(document.paths)) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    for (const operation of Object.values(methods)) {
      const inPath = operation.parameters.filter((one) => one['in'] === 'path');
      expect(inPath.map((one) => one['name'])).toEqual(wanted);
      expect(inPath.every((one) => one['required'] === true)).toBe(true);
      const names = operation.parameters.map((one) => `${one['in']} ${one['name']}`);
      expect(new Set(names).size).toBe(names.length);
      const body = JSON.stringify(operation.requestBody ?? {});
      for (const name of wanted) expect(body).not.toContain(`"${name}":`);
    }
  }
});

test('bodies require what the operation requires, and accepted answers are described', async () => {
  const document = await served();
  const run = document.paths['/api/subagents']?.['post'];
  expect(run?.requestBody).toMatchObject({
    required: true,
    content: { 'application/json': { schema: { required: ['runnerId', 'prompt'] } } },
  });
  expect(run?.responses['202']).toMatchObject({ headers: { Location: expect.any(Object) } });
  expect(run?.parameters.map((one) => one['name'])).toContain('Idempotency-Key');
  const cancel = document.paths['/api/subagents/{id}/cancel']?.['post'];
  expect(cancel?.requestBody).toMatchObject({ required: false });
  expect(document.paths['/api/subagents/{id}']?.['get']?.responses['202']).toBeUndefined();
});

test('null is allowed for what a body may leave out, at any depth, and for nothing else', async () => {
  const document = await served();
  const body = document.paths['/api/subagents']?.['post']?.requestBody;
  const content = body?.['content'] as Content | undefined;
  const schema = content!['application/json'].schema;
  expect(allowsNull(schema.properties['title'])).toBe(true);
  expect(allowsNull(schema.properties['prompt'])).toBe(false);
  // The words about a field stay with it.
  expect(schema.properties['waitSeconds']).toMatchObject({
    description: expect.stringContaining('SYNC only'),
  });
  expect(schema.properties['executionMode']).toMatchObject({ default: 'SYNC' });
  const context = schema.properties['context']?.anyOf?.[0];
  expect(allowsNull(context?.properties?.['specId'])).toBe(true);
  expect(context?.properties?.['files']?.anyOf).toHaveLength(2);
  const list = document.paths['/api/subagents']?.['get']?.parameters;
  expect(JSON.stringify(list)).not.toContain('null');
});

interface Described {
  properties?: Record<string, Described>;
  anyOf?: (Described & { type?: string })[];
}
type Content = Record<'application/json', { schema: Required<Described> }>;
const allowsNull = (of: Described | undefined) =>
  of?.anyOf?.some(({ type }) => type === 'null') ?? false;

test('the page for people holds every operation and every code, and loads nothing', async () => {
  const response = await fakeApi().ask('GET', '/api/docs', { token: null });
  const page = await response.text();
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  for (const name of Object.keys(operations)) expect(page).toContain(`id="${name}"`);
  expect(page).toContain('id="idempotency_mismatch"');
  expect(page).not.toMatch(/<script|src=|https?:\/\//);
});

async function pageForPeople(): Promise<string> {
  return (await fakeApi().ask('GET', '/api/docs', { token: null })).text();
}

test('the page says of every code of a refusal or an ending what it means and what to do', async () => {
  const page = await pageForPeople();
  for (const code of [...requestErrorCodes, ...endingErrorCodes]) {
    const row = new RegExp(`<tr id="${code}">.*`).exec(page)?.[0] ?? '';
    const cells = [...row.matchAll(/<td>(.*?)<\/td>/g)].map((match) => match[1]);
    const spoken = cells.slice(-2).filter((words) => /^\S.{10,}/.test(words ?? ''));
    expect([code, spoken.length]).toEqual([code, 2]);
    expect(cells.length).toBeGreaterThan(2);
    expect(row).not.toContain('`');
  }
});

test('the page begins with its contents: each group of operations, and every link leads somewhere', async () => {
  const page = await pageForPeople();
  const nav = /<nav>.*<\/nav>/s.exec(page)?.[0] ?? '';
  for (const name of Object.keys(operations)) expect(nav).toContain(`href="#${name}"`);
  const groups = Object.values(operations).map(({ path }) => path.split('/')[2]);
  for (const id of [...groups.map((group) => `at-${group}`), 'problems', 'endings']) {
    expect(nav).toContain(`href="#${id}"`);
  }
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
  expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
});

test('the page says which addresses need no token, and these are all', async () => {
  const page = await pageForPeople();
  expect(page).toContain('Two addresses need no token');
  const api = fakeApi();
  const paths = [...Object.keys((await served()).paths), '/api/docs', '/api/openapi.json'];
  const open = [];
  for (const path of paths) {
    const { status } = await api.ask('GET', path, { token: null });
    if (status === 200) open.push(path);
  }
  expect(open).toEqual(['/api/docs', '/api/openapi.json']);
});

test('what is refused before it is a request is described at every call, too', async () => {
  const document = await served();
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    expect(operation.responses['431']).toMatchObject({
      description: expect.stringContaining('16 KiB'),
      content: { 'application/problem+json': expect.anything() },
    });
    expect(operation.responses).toHaveProperty('408');
  }
});

test('a hook may hold blanks where a field may be left out, and its key under either name', async () => {
  const { paths } = await served();
  const schema = {
    required: ['harness'],
    allOf: [{ anyOf: [{ required: ['sessionKey'] }, { required: ['sessionId'] }] }],
    properties: {
      harness: { type: 'string' },
      project: { anyOf: expect.arrayContaining([{ type: 'string', pattern: '^\\s*$' }]) },
    },
  };
  expect(paths['/api/hooks/session-checkpoint-extract']?.['post']?.requestBody).toMatchObject({
    required: true,
    content: { 'application/json': { schema } },
  });
});
