import { expect, test } from '@jest/globals';
import { formatAge, formatDuration } from '../../cli/render/duration.ts';
import { formatBytes } from '../../cli/render/bytes.ts';
import { ill, renderFindings, well } from '../../cli/render/findings.ts';
import { plainText } from '../../domain/plain-text.ts';
import { addressesOf, renderAddresses, renderStatus, troubleOf } from '../../cli/render/stack.ts';
import { createStyle } from '../../cli/render/style.ts';
import { renderRecord } from '../../cli/render/record.ts';
import { renderTree } from '../../cli/render/tree.ts';
import { runningRecord } from '../client/fake-server.ts';
import type { TreeNode } from '../../contract/records.ts';
import type { Health } from '../../contract/system-records.ts';
import { reportedNode } from './reported-node.ts';

const style = createStyle(false);

let keys = 0;
function node(
  title: string,
  fields: Partial<TreeNode['invocations'][number]> = {},
  children: TreeNode[] = [],
): TreeNode {
  keys += 1;
  const invocation = {
    id: `sub_${keys}`,
    runnerId: 'demo',
    status: 'completed' as const,
    executionMode: 'SYNC' as const,
    title,
    durationMs: 1234,
    error: null,
    ...fields,
  };
  const sessionKey = `ses_${keys}`;
  const managed = { kind: 'managed', harness: null, state: 'idle', firstWords: null } as const;
  return { ...managed, sessionKey, title, depth: 0, invocations: [invocation], children };
}

test('a tree shows who asked whom, in which mode, and how it ended', () => {
  const review = node('Review the change', { durationMs: 61_000 }, [
    node('Read the diff', { executionMode: 'ASYNC_POLL', durationMs: 800 }),
    node('Run the tests', {
      executionMode: 'ASYNC_CALLBACK',
      runnerId: 'claude',
      status: 'failed',
      error: 'exit 3\nno such file',
    }),
  ]);
  const tree = reportedNode('claude-code-1', {
    children: [
      review,
      node('Wait', { status: 'running', durationMs: null, executionMode: 'ASYNC_POLL' }),
      node('Too long', { status: 'timed_out', durationMs: 3_600_000 }),
      node('Not any more', { status: 'cancelled', durationMs: null }, [
        node('Nor this', { status: 'cancelled', durationMs: null }),
      ]),
    ],
  });
  expect(`\n${renderTree(tree, { style, width: 100 })}`).toBe(`
claude-code-1           active  claude-code
├─ ✓ Review the change  SYNC            demo    1 min 01 s  sub_3
│  ├─ ✓ Read the diff   ASYNC_POLL      demo         0.8 s  sub_1
│  └─ ✗ Run the tests   ASYNC_CALLBACK  claude       1.2 s  sub_2  exit 3 no such file
├─ … Wait               ASYNC_POLL      demo                sub_4
├─ ⏱ Too long           SYNC            demo    1 h 00 min  sub_5
└─ ⊘ Not any more       SYNC            demo                sub_7
   └─ ⊘ Nor this        SYNC            demo                sub_6
`);
});

test('a session that somebody has named is shown with the key that commands take', () => {
  const tree = reportedNode('one', { title: 'Release' });
  expect(renderTree(tree, { style, width: 100 })).toBe('Release  active  claude-code  one\n');
});

test('a root of ours, later messages to a session, and wide titles line up too', () => {
  const root = node('日本語のタイトル', {}, [node('child 😀'), node('last')]);
  const [first] = root.invocations;
  if (first) root.invocations.push({ ...first, title: 'and then?', executionMode: 'ASYNC_POLL' });
  expect(`\n${renderTree(root, { style, width: 100 })}`).toBe(`
✓ 日本語のタイトル  SYNC        demo  1.2 s  sub_10
│ ↪ ✓ and then?     ASYNC_POLL  demo  1.2 s  sub_10
├─ ✓ child 😀       SYNC        demo  1.2 s  sub_8
└─ ✓ last           SYNC        demo  1.2 s  sub_9
`);
});

test('long and wild titles are cut to the width and made harmless', () => {
  const title = `one\ntwo \u001B[31mred\u001B[0m ${'long '.repeat(40)}`;
  const text = renderTree(node(title, {}, [node(title)]), { style, width: 60 });
  expect(`\n${text}`).toBe(`
✓ one two red long long long lon…  SYNC  demo  1.2 s  sub_12
└─ ✓ one two red long long long…   SYNC  demo  1.2 s  sub_11
`);
});

test('with colours the same tree is painted', () => {
  const painted = renderTree(node('x', { error: 'bad', status: 'failed' }), {
    style: createStyle(true),
    width: 100,
  });
  expect(painted).toContain('\u001B[31m✗\u001B[39m x');
  expect(plainText(painted)).toBe('✗ x  SYNC  demo  1.2 s  sub_13  bad\n');
});

test.each([
  [0, '0.0 s'],
  [49, '0.0 s'],
  [9_949, '9.9 s'],
  [9_951, '10 s'],
  [59_600, '1 min 00 s'],
  [3_599_400, '59 min 59 s'],
  [3_600_000, '1 h 00 min'],
  [90_000_000, '1 d 1 h'],
])('%d ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('ages are told in the largest unit', () => {
  const ages = [5_000, 60_000, 7_300_000, 200_000_000].map(formatAge);
  expect(ages).toEqual(['just now', '1 min ago', '2 h ago', '2 d ago']);
});

test('escape sequences and marks that turn text around are taken out', () => {
  expect(plainText('a\u001B[1;31mb\u001B]8;;http://x\u001B\\c\u0007\u202Ed\te\r\nf\u001B')).toBe(
    'abcd\te\nf',
  );
});

const health: Health = {
  status: 'degraded',
  version: '0.1.0',
  homeId: 'h',
  pid: 7,
  startedAt: '2026-01-01T00:00:00.000Z',
  engine: {
    connected: false,
    address: '127.0.0.1:7233',
    namespace: 'default',
    uiUrl: null,
    serverVersion: null,
    problem: 'connection refused',
  },
  hosts: [
    {
      id: 'local',
      hostname: 'box',
      pid: 8,
      live: true,
      stopped: false,
      slots: 4,
      busy: 2,
      lastSeenAt: '2026-01-01T00:00:00.000Z',
    },
  ],
  invocations: { running: 2, pending: 1 },
  outbox: { rows: 3, oldestSeconds: 12 },
};

test('the addresses of a started stack', () => {
  const server = { url: 'http://127.0.0.1:8464', remoteUrl: null };
  const addresses = addressesOf('/home/me/.offshoot', server, health);
  expect(`\n${renderAddresses(addresses, style)}`).toBe(`
  API          http://127.0.0.1:8464
  API docs     http://127.0.0.1:8464/api/docs
  Temporal UI  see the Temporal that you have named
  runner host  local, 4 slots
  home         /home/me/.offshoot
`);
});

test('the state of the stack', () => {
  const processes = [
    { name: 'engine', pid: null, isRunning: false },
    { name: 'server', pid: 7, isRunning: true },
  ];
  const stack = {
    ...{ state: 'degraded' as const, home: '/h', url: 'http://127.0.0.1:8464', launcher: 5 },
    ...{ processes, problem: null, remoteUrl: null },
  };
  expect(`\n${renderStatus({ ...stack, health }, style)}`).toBe(`
degraded
  server       http://127.0.0.1:8464 (version 0.1.0)
  engine       127.0.0.1:7233, not connected: connection refused
  Temporal UI  unknown
  host local   live on box, 2 of 4 busy
  open         2 running, 1 pending
  to be sent   3, the oldest 12 s
  home         /h
  processes    launcher 5, server 7
`);
});

test.each([
  ['http://10.0.0.1:8464', 'http://10.0.0.1:8464'],
  ['http://0.0.0.0:8464', 'port 8464 of every address of this machine'],
  ['http://[::]:8464', 'port 8464 of every address of this machine'],
])('the address that is one more stands below the first: %s', (remoteUrl, shown) => {
  const server = { url: 'http://127.0.0.1:8464', remoteUrl };
  const addresses = addressesOf('/h', server, health);
  expect(addresses).toMatchObject({ remoteUrl });
  expect(renderAddresses(addresses, style)).toContain(
    `  API          http://127.0.0.1:8464\n  elsewhere    ${shown}\n`,
  );
  const stack = { ...server, state: 'ready' as const, home: '/h', launcher: 5 };
  expect(renderStatus({ ...stack, processes: [], problem: null, health }, style)).toContain(
    `(version 0.1.0)\n  elsewhere    ${shown}\n`,
  );
});

test('what keeps a stack from being whole is told with where, and whose it is to mend', () => {
  const own = troubleOf(health, { isNamed: false, logs: '/h/logs' });
  expect(own).toEqual({
    what: 'Temporal at 127.0.0.1:7233 is not reached: connection refused.',
    remedy: expect.stringContaining('/h/logs/engine.log'),
  });
  const named = troubleOf(health, { isNamed: true, logs: '/h/logs' });
  expect(named?.remedy).toContain('address, TLS and namespace');
  const up = { ...health, engine: { ...health.engine, connected: true, problem: null } };
  expect(troubleOf(up, { isNamed: true, logs: '/h/logs' })).toBeNull();
  expect(troubleOf({ ...up, hosts: [] }, { isNamed: true, logs: '/h/logs' })?.remedy).toContain(
    '/h/logs/host.log',
  );
});

test('findings say why they matter and what to do, under what is wrong', () => {
  const findings = [
    well('server', 'up'),
    ill('warning', 'WAL', {
      what: '300 MB',
      why: 'It fills the disk.',
      remedy: 'fold it',
      fix: () => '',
    }),
    ill('error', 'disk', { what: '10 MB free', why: 'No room.', remedy: 'free some room' }),
  ];
  expect(`\n${renderFindings(findings, style)}`).toBe(`
✓ server  up
! WAL     300 MB
          It fills the disk.
          → fold it
✗ disk    10 MB free
          No room.
          → free some room

1 error, 1 warning. \`offshoot doctor --fix\` mends what can be mended safely.
`);
  expect(renderFindings([well('server', 'up')], style)).toBe('✓ server  up\n\nAll is well.\n');
});

test('sizes are told in powers of ten', () => {
  const said = [0, 999, 1000, 1_250_000, 340_000_000, 5e9].map(formatBytes);
  expect(said).toEqual(['0 B', '999 B', '1.0 kB', '1.3 MB', '340 MB', '5.0 GB']);
});

test.each([
  ['no free slot: 1 before it', 'waits for  a free slot, 1 before it'],
  [
    'no free slot on runner host b: 0 before it',
    'waits for  a free slot on runner host b, 0 before it',
  ],
  ['waits for 2 open children', 'waits for  2 open children'],
  ['no runner host is up', 'now        no runner host is up'],
  [null, null],
])('that the pending reason is %p reads as a sentence', (pendingReason, line) => {
  const shown = renderRecord(runningRecord({ status: 'pending', pendingReason }), style);
  if (line === null) expect(shown).not.toMatch(/waits for|now /);
  else expect(shown).toContain(`\n  ${line}\n`);
});

test('what is to be done names the invocation, so that it can be typed', () => {
  const errorHint = '`offshoot transcript <id>` shows what it printed.';
  const shown = renderRecord(runningRecord({ id: 'sub_7', status: 'failed', errorHint }), style);
  expect(shown).toContain('  `offshoot transcript sub_7` shows what it printed.\n');
});
