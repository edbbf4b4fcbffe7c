/** What a child is given: who it is, who asked, where it works, and its secrets. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { program, release, runners, untilFile } from './agents.ts';
import { withLoneServer } from './lone-server.ts';
import { ask } from './requests.ts';
import { counts } from './rows.ts';
import { startStack, until } from './stack.ts';

const binFile = fileURLToPath(new URL('../../bin/offshoot.mjs', import.meta.url));

/** Answers only when its standard input has come to its end. */
const readToEnd = { kind: 'command', command: 'sh', args: ['-c', 'wc -c'] } as const;
const config = {
  runners: {
    ...runners,
    'end-stdin': readToEnd,
    'end-arg': { ...readToEnd, promptVia: 'arg' },
    'end-file': { ...readToEnd, promptVia: 'file' },
  },
};

let stack: Awaited<ReturnType<typeof startStack>>;
let workspace: string;
beforeAll(async () => {
  stack = await startStack({
    config,
    env: { AGENT_SESSION_ID: 'not-the-server', SHOP_KEY: 'host-secret' },
  });
  workspace = mkdtempSync(join(realpathSync(tmpdir()), 'work-'));
}, 60_000);
afterAll(() => stack.stop(), 60_000);

const run = (body: object) =>
  ask(stack, 'POST', '/api/subagents', { body: { runnerId: 'sh', ...body } });

test('a grandchild is given the session of the child, and is recorded under it [orchestrator 14]', async () => {
  const tell = 'printf %s "$AGENT_SESSION_ID"';
  const child = program<string>(async ({ env, spawn, say }, prompt) => {
    const below = await spawn('SYNC', prompt);
    say({ own: env['AGENT_SESSION_ID'], below });
  }, tell);
  const top = program<string>(async ({ env, spawn, say }, prompt) => {
    const below = await spawn('SYNC', prompt, { runnerId: 'js' });
    say({ own: env['AGENT_SESSION_ID'], below });
  }, child);
  const { body: root } = await run({ runnerId: 'js', prompt: top });
  const { own, below: middle } = JSON.parse(root.result!.content);
  const { own: ownBelow, below: leaf } = JSON.parse(middle.result.content);
  expect([own, ownBelow, leaf.result.content]).toEqual([
    root.sessionKey,
    middle.sessionKey,
    leaf.sessionKey,
  ]);
  expect(middle).toMatchObject({
    parentSessionId: root.sessionKey,
    rootSessionId: root.sessionKey,
    depth: 1,
  });
  expect(leaf).toMatchObject({
    parentSessionId: middle.sessionKey,
    rootSessionId: root.sessionKey,
    depth: 2,
  });
});

test('calls of two sessions over one server are told apart, and one that names none has no parent [orchestrator 12]', async () => {
  const env = { AGENT_SESSION_ID: 'one', CLAUDE_CODE_SESSION_ID: 'one' };
  await withLoneServer({ config, env }, async (server) => {
    for (const key of ['one', 'two']) await server.client.call('registerSession', { key });
    const keys = Array.from({ length: 30 }, (_, n) => [null, 'one', 'two'][n % 3]!);
    const body = { runnerId: 'sh', prompt: 'echo hi', executionMode: 'ASYNC_POLL' };
    const answers = await Promise.all(
      keys.map((key) => {
        const headers = { ...(key === null ? {} : { 'X-Agent-Session-Id': key }) };
        return ask(server, 'POST', '/api/subagents', { body, headers });
      }),
    );
    expect(answers.map(({ body: record }) => record.parentSessionId)).toEqual(keys);
  });
});

test('a program with hooks is told at its start what its invocation was given, once, and its sub-agent what itself has said', async () => {
  const hook = `"${process.execPath}" "${binFile}" hook`;
  const tell = (event: string, payload: object) =>
    `echo '${JSON.stringify(payload)}' | ${hook} ${event} --harness claude-code`;
  const prompt = [
    tell('SessionStart', { session_id: 'inner', source: 'startup' }),
    tell('SessionStart', { session_id: 'inner', source: 'resume' }),
    tell('UserPromptSubmit', { session_id: 'inner', prompt: 'look at the tag' }),
    tell('SubagentStart', { session_id: 'inner', agent_id: 'a1', agent_type: 'Explore' }),
  ].join('\n');
  await ask(stack, 'POST', '/api/hooks/user-prompt-submit', {
    body: { harness: 'claude-code', sessionKey: 'outer', userMessage: 'we cut the release' },
  });
  const { body } = await run({ prompt, parentSessionId: 'outer' });
  const printed = body.result!.content.split('\n').flatMap((line) => {
    const told = line === '' ? {} : JSON.parse(line);
    return told.hookSpecificOutput?.additionalContext ?? [];
  });
  const contextOf = async (key: string) =>
    (await ask<{ inherited: object }>(stack, 'GET', `/api/sessions/${key}/context`)).body.inherited;
  const given = await contextOf(body.sessionKey);
  expect(await contextOf('inner')).toEqual({ ...given, givenAt: expect.any(String) });
  expect(printed).toEqual([
    expect.stringMatching(/\(outer\)\nRecent context:\n {2}User: we cut the release$/),
    expect.stringMatching(/\n\nAs told before \(outer\)\.$/),
    expect.stringMatching(/\(inner\)\nRecent context:\n {2}User: look at the tag$/),
  ]);
});

test.each(['stdin', 'arg', 'file'])(
  'the standard input of a program that takes its prompt by %s comes to an end [leanspec 25]',
  async (way) => {
    const { body } = await run({ runnerId: `end-${way}`, prompt: 'twelve bytes', waitSeconds: 10 });
    expect(body.status).toBe('completed');
    expect(Number(body.result!.content)).toBe(way === 'stdin' ? 12 : 0);
  },
);

test('a missing file or workspace is refused by name, and nothing is written [leanspec 28]', async () => {
  const before = counts(stack.home);
  const file = await run({
    prompt: 'echo no',
    context: { workspacePath: workspace, files: ['plan.md'] },
  });
  expect([file.status, file.body.code]).toEqual([422, 'file_missing']);
  expect(file.body.detail).toContain('plan.md');
  const away = join(workspace, 'away');
  const folder = await run({ prompt: 'echo no', context: { workspacePath: away } });
  expect([folder.status, folder.body.code]).toEqual([422, 'workspace_missing']);
  expect(folder.body.detail).toContain(away);
  expect(counts(stack.home)).toEqual(before);
});

test('files that lead out of the workspace are refused, by name, by link or absolute [leanspec 29]', async () => {
  const inside = join(workspace, 'inside');
  mkdirSync(inside, { recursive: true });
  writeFileSync(join(inside, 'plan.md'), 'plan');
  writeFileSync(join(workspace, 'secret.md'), 'secret');
  symlinkSync(join(workspace, 'secret.md'), join(inside, 'link.md'));
  symlinkSync(workspace, join(inside, 'folder'));
  symlinkSync(join(inside, 'plan.md'), join(inside, 'fine.md'));
  const before = counts(stack.home);
  const out = [
    '../secret.md',
    'link.md',
    'folder/secret.md',
    join(workspace, 'secret.md'),
    '/etc/passwd',
  ];
  for (const file of out) {
    const { status, body } = await run({
      prompt: 'echo no',
      context: { workspacePath: inside, files: [file] },
    });
    expect([file, status, body.code]).toEqual([file, 422, 'file_outside_workspace']);
    expect(body.detail).toContain(file);
  }
  expect(counts(stack.home)).toEqual(before);
  const fine = await run({
    prompt: 'echo yes',
    context: { workspacePath: inside, files: ['fine.md'] },
  });
  expect(fine.body.status).toBe('completed');
});

test("a child's context file holds its files and its spec, and is its own alone", async () => {
  writeFileSync(join(workspace, 'notes.md'), 'notes');
  const context = { workspacePath: workspace, files: ['notes.md'], specId: 'spec-7' };
  const prompt =
    'stat -c %a "$OFFSHOOT_CONTEXT"; echo "$OFFSHOOT_SPEC_ID"; pwd; cat "$OFFSHOOT_CONTEXT"';
  const { body } = await run({ prompt, context });
  const [mode, spec, folder, ...rest] = body.result!.content.split('\n');
  expect([mode, spec, folder]).toEqual(['600', 'spec-7', workspace]);
  expect(JSON.parse(rest.join('\n'))).toMatchObject({
    version: 1,
    invocationId: body.id,
    sessionKey: body.sessionKey,
    workspacePath: workspace,
    specId: 'spec-7',
    files: [join(workspace, 'notes.md')],
  });
  expect(body.context).toMatchObject({ files: [join(workspace, 'notes.md')], specId: 'spec-7' });
});

test('values of context.env reach the child and lie in one 0600 file, which its end removes', async () => {
  const value = 'hunter2-77f3c1';
  const record = await stack.start(`${untilFile('go')}; printf %s "\${#SHOP_PIN}"`, {
    runnerId: 'sh',
    context: { env: { SHOP_PIN: value } },
  });
  const file = join(homePaths(stack.home).secrets, `${record.id}.json`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(filesWith(value)).toEqual([file]);
  release(record, 'go');
  const { result } = await stack.ended(record.id);
  expect(result!.content).toBe(String(value.length));
  // Its end is told first.
  await until(
    async () => filesWith(value),
    (files) => files.length === 0,
  );
});

test("a child is not given what the host's own environment holds", async () => {
  const { body } = await run({ prompt: 'env' });
  expect(body.result!.content).toContain('OFFSHOOT_TOKEN=');
  expect(body.result!.content).not.toContain('host-secret');
  expect(body.result!.content).not.toContain('not-the-server');
});

/** Every file of the home: database, its log, the engine's data, logs, spools. */
function filesWith(text: string): string[] {
  const entries = readdirSync(stack.home, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => contentOf(path).includes(text));
}

/** One that has gone since it was listed holds nothing. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
