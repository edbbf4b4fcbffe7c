/** The command line against a stack that it has started itself: `up --detach` first, `down` last. */
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { discover } from '../../client/index.ts';
import type { SubAgentRecord, Turn } from '../../contract/records.ts';
import { launcherStatus } from '../../launcher/index.ts';
import { isAlive } from '../runners/run-fixture.ts';
import { stateOf } from '../support/test-namespace.ts';
import { runners, untilFile } from './agents.ts';
import { binFile, offshoot, startOffshoot } from './commands.ts';
import { until } from './stack.ts';

let home: string;
let work: string;
const cli = (args: string[], options: { env?: Record<string, string>; input?: string } = {}) =>
  offshoot(args, { ...options, cwd: work, env: { OFFSHOOT_HOME: home, ...options.env } });
const json = async <T = SubAgentRecord>(args: string[], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await cli([...args, '--json'], { env });
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
};
const lines = (text: string) => text.split('\n').filter((line) => line !== '');

beforeAll(async () => {
  const temporary = realpathSync(tmpdir());
  home = mkdtempSync(join(temporary, 'home-'));
  work = mkdtempSync(join(temporary, 'work-'));
  const engine = { retentionDays: 120 };
  writeFileSync(join(home, 'config.json'), JSON.stringify({ runners, engine }));
  const up = await cli(['up', '--detach', '--port', '0', '--json']);
  expect([up.code, JSON.parse(up.stdout)]).toMatchObject([
    0,
    { status: 'ready', wasRunning: false },
  ]);
}, 60_000);
afterAll(async () => {
  await cli(['down']);
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}, 60_000);

test('run takes its prompt as argument, option, file or stdin, and prints the answer alone', async () => {
  writeFileSync(join(work, 'prompt.txt'), 'echo from a file; pwd');
  const ran = await Promise.all([
    cli(['run', 'sh', 'echo from an argument']),
    cli(['run', 'sh', '--prompt', 'echo from an option']),
    cli(['run', 'sh', '--prompt-file', 'prompt.txt']),
    cli(['run', 'sh'], { input: 'echo from stdin; echo not this >&2' }),
  ]);
  expect(ran.map(({ code, stdout }) => [code, stdout])).toEqual([
    [0, 'from an argument\n'],
    [0, 'from an option\n'],
    [0, `from a file\n${work}\n`],
    [0, 'from stdin\n'],
  ]);
});

test('exit codes tell what was completed, what failed, what is not there and what goes on', async () => {
  const [well, failed, noRunner, noId, slow, wrong] = await Promise.all([
    cli(['run', 'sh', 'echo ok', '--json']),
    cli(['run', 'sh', 'echo half; exit 4']),
    cli(['run', 'nobody', 'echo']),
    cli(['get', 'sub_nobody']),
    cli(['run', 'sh', 'sleep 2; echo late', '--wait', '0.2', '--json']),
    cli(['run', 'sh', '   ']),
  ]);
  expect([well, failed, noRunner, noId, slow, wrong].map(({ code }) => code)).toEqual([
    0, 1, 3, 3, 6, 2,
  ]);
  expect(JSON.parse(well.stdout)).toMatchObject({ status: 'completed', result: { content: 'ok' } });
  expect(failed.stderr).toContain('exited with code 4');
  expect(noRunner.stderr).toContain('there are: demo, sh');
  const { id, status } = JSON.parse(slow.stdout) as SubAgentRecord;
  expect(status).toBe('running');
  expect(await cli(['wait', id])).toMatchObject({ code: 0, stdout: 'late\n' });
});

test('get, list, tree, transcript and logs show what was run, for people and as JSON', async () => {
  const prompt = 'for n in 1 2 3; do echo line $n; sleep 0.2; done; echo oops >&2';
  const run = await cli([
    'run',
    'sh',
    prompt,
    '--mode',
    'ASYNC_POLL',
    '--title',
    'Three lines',
    '--spec',
    's 1',
  ]);
  const id = run.stdout.trim();
  expect([run.code, id]).toEqual([0, expect.stringMatching(/^sub_\w+$/)]);
  const [followed, follow] = await Promise.all([
    cli(['logs', '-f', id]),
    json<never>(['wait', id]).catch(String),
  ]);
  expect(followed).toEqual({
    code: 0,
    stdout: 'line 1\nline 2\nline 3\n',
    stderr: expect.stringContaining('oops\n'),
  });
  expect(follow).toMatchObject({ status: 'completed' });

  const [get, getJson, list, listJson, tree, treeJson, transcript, turns, logs] = await Promise.all(
    [
      cli(['get', id]),
      json(['get', id]),
      cli(['list', '--spec', 's 1']),
      json<{ items: SubAgentRecord[] }>(['list', '--spec', 's 1', '--status', 'completed']),
      cli(['tree', id]),
      json<{ sessionKey: string; invocations: { id: string }[] }>(['tree', id]),
      cli(['transcript', id]),
      json<{ turns: Turn[] }>(['transcript', id]),
      cli(['logs', id, '--json']),
    ],
  );
  for (const { code, stdout } of [get, list, tree]) {
    expect([code, stdout]).toEqual([0, expect.stringContaining('Three lines')]);
  }
  expect(getJson).toMatchObject({ id, title: 'Three lines', status: 'completed' });
  expect(listJson.items.map((record) => record.id)).toEqual([id]);
  expect(treeJson).toMatchObject({ sessionKey: getJson.sessionKey, invocations: [{ id }] });
  expect(transcript.stdout).toContain('line 2');
  expect(turns.turns.map(({ seq }) => seq)).toEqual(turns.turns.map((_, index) => index + 1));
  expect(lines(logs.stdout).map((line) => JSON.parse(line))).toEqual(turns.turns);
});

test('cancel from a second process ends what the first is waiting for [leanspec 38]', async () => {
  const first = startOffshoot(['run', 'sh', 'echo begun; sleep 60', '--title', 'Long'], {
    env: { OFFSHOOT_HOME: home },
    cwd: work,
  });
  const { items } = await until(
    () => json<{ items: SubAgentRecord[] }>(['list', '--status', 'running']),
    (page) => page.items.some(({ title }) => title === 'Long'),
  );
  const { id } = items.find(({ title }) => title === 'Long')!;
  expect((await cli(['cancel', id, '--reason', 'enough'])).code).toBe(0);
  const ended = await first.ended;
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('enough')]);
  expect(await json(['get', id])).toMatchObject({ status: 'cancelled', error: 'enough' });
});

test('send goes to the same session, delete takes all of it', async () => {
  const first = await json(['run', 'sh', 'echo one']);
  const sent = await cli(['send', first.id, 'two', '--mode', 'SYNC']);
  expect(sent).toMatchObject({ code: 0, stdout: 'two\n' });
  const refused = await cli(['send', (await json(['run', 'once', 'echo x'])).id, 'two']);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('one turn only')]);
  const deleted = await cli(['delete', '--session', first.sessionKey, '--yes']);
  expect([deleted.code, deleted.stdout]).toEqual([
    0,
    expect.stringMatching(/^Deleted: 1 session, 2 invocations, \d+ turns, 0 callbacks\.\n$/),
  ]);
  expect((await cli(['get', first.id])).code).toBe(3);
});

test('the session of the program around it asks, and reads and acknowledges its callbacks', async () => {
  const env = { CLAUDE_CODE_SESSION_ID: 'claude-1' };
  const child = await json(['run', 'sh', 'echo called back', '--mode', 'ASYNC_CALLBACK'], env);
  expect(child).toMatchObject({ parentSessionId: 'claude-1', executionMode: 'ASYNC_CALLBACK' });
  await json(['wait', child.id]);
  const shown = await cli(['callbacks', '--ack'], { env });
  expect([shown.code, shown.stdout]).toEqual([
    0,
    expect.stringContaining('\ncalled back\n</agent-callback>'),
  ]);
  const left = await json<{ callbacks: unknown[] }>(['callbacks'], env);
  expect(left.callbacks).toEqual([]);
});

test("inside an agent it acts as that agent's session", async () => {
  const inner = `'${process.execPath}' '${binFile}' run sh 'echo inner' --json`;
  const outer = await json(['run', 'sh', inner]);
  expect(JSON.parse(outer.result!.content)).toMatchObject({
    parentSessionId: outer.sessionKey,
    depth: 1,
    result: { content: 'inner' },
  });
});

test('runners, status, doctor and a second up tell how things are', async () => {
  const [listed, status, doctor, up] = await Promise.all([
    json<{ runners: { id: string; available: boolean; reason: string }[] }>(['runners']),
    json<{ health: { status: string }; launcher: number }>(['status']),
    cli(['doctor', '--json']),
    json(['up', '--detach']),
  ]);
  expect(listed.runners.map(({ id }) => id)).toEqual(['demo', ...Object.keys(runners)]);
  expect(listed.runners.find(({ id }) => id === 'absent')).toMatchObject({
    available: false,
    reason: expect.stringContaining('/nowhere/agent is not there'),
  });
  expect(status).toMatchObject({ health: { status: 'ready' }, launcher: expect.any(Number) });
  // One thing is wrong here, and it is named with its remedy.
  const { findings } = JSON.parse(doctor.stdout) as {
    findings: { name: string; level: string }[];
  };
  expect(doctor.code).toBe(1);
  expect(findings.filter(({ level }) => level !== 'ok')).toMatchObject([
    { level: 'error', what: expect.stringContaining('/nowhere/agent') },
  ]);
  expect(up).toMatchObject({ status: 'ready', wasRunning: true });
});

test('config check names every wrong key', async () => {
  const good = await json<{ runners: string[] }>(['config', 'check']);
  expect(good.runners).toEqual(Object.keys(runners));
  const other = mkdtempSync(join(realpathSync(tmpdir()), 'home-'));
  writeFileSync(
    join(other, 'config.yaml'),
    'runners:\n  lint: { kind: command, comand: lint }\nslots: 4\n',
  );
  const bad = await cli(['config', 'check'], { env: { OFFSHOOT_HOME: other } });
  expect(bad.code).toBe(2);
  expect(bad.stderr).toMatch(/runners\.lint\.comand: is not a known key/);
  expect(bad.stderr).toMatch(/slots: is not a known key/);
});

test('Temporal keeps histories for as long as the configuration says', async () => {
  const { address, namespace } = discover(home).server.temporal;
  const connection = await Connection.connect({ address: address! });
  try {
    expect(await stateOf(connection, namespace)).toMatchObject({ days: 120 });
  } finally {
    await connection.close();
  }
});

test('down --leave-agents says that they will finish, and the next up has their answers', async () => {
  const prompt = `echo $$ > left; ${untilFile('go')}; echo finished`;
  const { id } = await json(['run', 'sh', prompt, '--mode', 'ASYNC_POLL']);
  await until(async () => existsSync(join(work, 'left')), Boolean);
  const down = await cli(['down', '--leave-agents']);
  expect(down).toMatchObject({ code: 0, stdout: 'Stopped.\n' });
  expect(down.stderr).toContain('1 agent is running and will finish');
  const left = Number(readFileSync(join(work, 'left'), 'utf8'));
  expect([isAlive(left), (await cli(['status'])).code]).toEqual([true, 4]);
  writeFileSync(join(work, 'go'), '');
  await until(
    async () => isAlive(left),
    (lives) => !lives,
  );
  expect((await cli(['up', '--detach'])).code).toBe(0);
  expect(await cli(['wait', id])).toMatchObject({ code: 0, stdout: 'finished\n' });
}, 60_000);

test('down says what becomes of running agents, and leaves nothing running', async () => {
  const { id } = await json([
    'run',
    'sh',
    `echo $$ > pid; touch up; ${untilFile('never')}`,
    '--mode',
    'ASYNC_POLL',
  ]);
  await until(async () => existsSync(join(work, 'up')), Boolean);
  const before = launcherStatus(home);
  const down = await cli(['down']);
  expect([down.code, down.stdout]).toEqual([0, 'Stopped.\n']);
  expect(down.stderr).toContain('1 agent is running and will be asked to stop');
  const pids = [before.launcher!.pid, ...before.processes.map(({ pid }) => pid!)];
  pids.push(Number(readFileSync(join(work, 'pid'), 'utf8')));
  expect(pids.map(isAlive)).toEqual(pids.map(() => false));
  const [status, list, again] = await Promise.all([
    cli(['status']),
    cli(['get', id]),
    cli(['down']),
  ]);
  expect([status.code, list.code, again.code]).toEqual([4, 4, 0]);
  expect(list.stderr).toContain('offshoot up');
});
