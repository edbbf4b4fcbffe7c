/** What to do about a refusal is a command that works as it is printed. */
import { expect, test } from '@jest/globals';
import { withFakeServer } from '../client/fake-server.ts';
import { cli } from './cli-harness.ts';

const twins = "several agents have a session my key: Jo's, default";
const another =
  'It takes another token: `offshoot help token create` says how the administrator makes one.';

test.each<[args: string[], detail: string, hint: string | null, told: string]>([
  [['tree', 'my key'], twins, null, "Say whose: `offshoot tree 'my key' --agent 'Jo'\\''s'`"],
  [
    ['transcript', 'my key', '-n', '3'],
    twins,
    'Name the agent: agentId.',
    "Say whose: `offshoot transcript 'my key' -n 3 --agent 'Jo'\\''s'`",
  ],
  [
    ['search', '-s', 'my key', '--', '-vlan trunk'],
    twins,
    null,
    "Say whose: `offshoot search -s 'my key' --agent 'Jo'\\''s' -- '-vlan trunk'`",
  ],
  [
    ['run', 'demo', 'x', '-p', 'my key'],
    twins,
    null,
    "Say whose: --agent 'Jo'\\''s' or --agent default",
  ],
  [
    ['delete', 'my key', '--session', '-y'],
    twins,
    null,
    "Say whose: --agent 'Jo'\\''s' or --agent default",
  ],
  [
    ['tree', 'nope', '--agent', 'a b'],
    'there is no session nope',
    null,
    "`offshoot sessions --agent 'a b'` shows them.",
  ],
  [
    ['run', 'demo', 'x', '-p', 'nope', '--agent', 'b'],
    'there is no parent nope',
    'Register it first: PUT /api/sessions/{key}',
    '`offshoot sessions --agent b` shows those that there are. Without --parent it is a root.',
  ],
  [['get', 'sub_1'], 'there is no invocation sub_1', null, '`offshoot list` shows them.'],
  [
    ['get', 'my key'],
    'there is no invocation my key',
    null,
    "`offshoot list` shows them. Of a session: `offshoot transcript 'my key'`",
  ],
  [['run', 'demo', 'x'], 'this readonly token lacks the remember permission', null, another],
  [['cancel', 'sub_1'], 'a token of role agent deletes nothing', null, another],
  [
    ['sessions', '--agent', 'b'],
    'agent b is outside of what this token may touch',
    null,
    '`offshoot sessions` shows what it reaches.',
  ],
  [
    ['run', 'demo', 'x'],
    '/elsewhere is outside of what this token may touch',
    null,
    'Name a folder that it reaches with -C. `offshoot sessions` shows what it reaches.',
  ],
  [
    ['search', ' '],
    'query: must not be empty or blank',
    'The fields are described at /api/docs.',
    'offshoot help search describes its options.',
  ],
  [
    ['token', 'create', '--role', 'agent', '--agent', 'a'],
    'agentId: is too long',
    'The fields are described at /api/docs.',
    'offshoot help token create describes its options.',
  ],
  [
    ['send', 'sub_1', 'x'],
    'sub_0a1b is running',
    'Cancel it first, or wait until it has ended.',
    '`offshoot cancel sub_0a1b` ends it, `offshoot wait sub_0a1b` waits for its end.',
  ],
  // What the server knows to say is said.
  [['get', 'sub_1'], 'sub_1 is outside of what this token may touch', 'Ask for it.', 'Ask for it.'],
])('%j, told that %s', async (args, detail, hint, told) => {
  const code = detail === twins ? 'parent_conflict' : 'forbidden';
  const absent = detail.includes('parent') ? 'unknown_parent' : 'not_found';
  const known = detail.startsWith('there is no') ? absent : code;
  const problem = { type: 'about:blank', title: 'x', status: 403, code: known, detail, hint };
  await withFakeServer(
    (_, response) => {
      response.writeHead(403, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify(problem));
    },
    async ({ url }) => {
      expect((await cli(args, { url })).err).toBe(`offshoot: ${detail}\n  ${told}\n`);
      const { error } = JSON.parse((await cli([...args, '--json'], { url })).err) as {
        error: { hint: string };
      };
      // With the command that was given, its options are.
      expect(error.hint.replace(' --json', '')).toBe(told);
    },
  );
});
