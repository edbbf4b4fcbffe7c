/** A blank is what a program sends for nothing: a template whose variable was not set. It is as if left out. */
import { expect, test } from '@jest/globals';
import { operations } from '../../../contract/operations.ts';
import { hookAliases } from '../../../contract/hooks.ts';
import { inputSchema } from '../../../api/json-schema.ts';
import { hooksOf } from '../../../harnesses/hooks-of.ts';
import { readHook } from '../../../harnesses/hooks.ts';
import { everyHook, hookNames, withHooks } from './hooks-fixture.ts';

const blanks = ['', '  ', '\n\t '];

test.each(hookNames)('%s takes a blank in any field that may be left out', (name) => {
  const { input } = operations[name];
  const { properties, required = [] } = inputSchema(input);
  const optional = Object.keys(properties).filter((field) => !required.includes(field));
  const other = optional.flatMap((field) => hookAliases[field] ?? []);
  for (const blank of blanks) {
    const left = Object.fromEntries([...optional, ...other].map((field) => [field, blank]));
    const least = Object.fromEntries(
      required.map((field) => [field, (everyHook[name] as never)[field]]),
    );
    expect(input.parse({ ...left, ...least })).toEqual({ ...least, extra: null });
  }
  for (const field of required) {
    const parsed = input.safeParse({ ...everyHook[name], [field]: ' ' });
    expect(parsed.error?.issues.map(({ path }) => path[0])).toEqual([field]);
  }
});

const pairs = Object.entries(hookAliases).flatMap(([field, others]) =>
  others.flatMap((other) => blanks.map((blank) => [field, other, blank] as const)),
);

test.each(pairs)(
  '%s gives way to %s where it is %j, and stands where that is',
  (field, other, blank) => {
    const read = (said: object) =>
      operations.hookSessionStart.input.parse({ harness: 'x', ...said });
    expect(read({ [field]: blank, [other]: '/a' })).toEqual(read({ [field]: '/a' }));
    expect(read({ [field]: '/a', [other]: blank })).toEqual(read({ [field]: '/a' }));
    expect(read({ [field]: blank, [other]: blank })).toEqual(read({}));
  },
);

test.each(blanks)('what is said is said beside %j', (blank) =>
  withHooks(async (room) => {
    const transcriptPath = room.stage('s1.jsonl', 'User: by path\n');
    const hook = { harness: 'x', sessionKey: blank, sessionId: 's1', agentId: blank };
    const told = { runtimePath: blank, at: blank, title: blank, project: blank };
    await room.ask('hookSessionStart', { ...hook, ...told, cwd: '/repo' } as never);
    const words = { userMessage: blank, userPrompt: 'asked', lastAssistantMessage: blank };
    await room.ask('hookUserPromptSubmit', { ...hook, ...words });
    await room.ask('hookStop', { ...hook, transcriptPath: blank });
    await room.ask('hookStop', { ...hook, transcript: blank, transcriptPath });
    expect(room.session('s1')).toMatchObject({ project: '/repo', title: null, runtime_path: null });
    expect(room.all('s1').filter((turn) => !turn.startsWith('mark'))).toEqual([
      'user: asked',
      'user: by path',
    ]);
  }),
);

test('a hook all of whose keys are blank names no session', () =>
  withHooks(async (room) => {
    for (const name of hookNames.filter((one) => one !== 'hookSessionCheckpointExtract')) {
      await room.ask(name, { ...everyHook[name], sessionKey: '', sessionId: ' ' } as never);
    }
    expect(room.count('sessions')).toBe(0);
  }));

test("of a program's own names the first that says something is read", async () => {
  const payload = {
    sessionKey: ' ',
    session_key: '',
    sessionId: 's1',
    project: '\n',
    cwd: '/repo',
  };
  const read = readHook(await hooksOf('my-agent'), { harness: 'my-agent', name: 'stop', payload });
  expect(read?.request).toMatchObject({ sessionKey: 's1', project: '/repo' });
});
