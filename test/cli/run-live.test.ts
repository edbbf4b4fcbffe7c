/** `run` on a terminal: what a person sees while it runs, and once it has ended. */
import { expect, test } from '@jest/globals';
import type { SubAgentRecord, Turn } from '../../contract/records.ts';
import {
  answerJson,
  recordOf,
  runningRecord,
  turnOf,
  withFakeServer,
  type Answer,
} from '../client/fake-server.ts';
import { cli } from './cli-harness.ts';

/** Accepts, then tells these turns and this end. */
const livingServer =
  (turns: Turn[], end: SubAgentRecord): Answer =>
  (request, response) => {
    if (request.url === '/api/subagents') return answerJson(response, runningRecord(), 202);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const turn of turns) {
      response.write(`id: ${turn.seq}\nevent: turn\ndata: ${JSON.stringify(turn)}\n\n`);
    }
    return void response.end(`id: 9\nevent: end\ndata: ${JSON.stringify(end)}\n\n`);
  };

test('on a terminal the output is live on standard error, and an answer that is another comes at the end', async () => {
  const turns = [
    turnOf(1, { role: 'user', text: 'x' }),
    turnOf(2, { text: 'working\u001B[2J…' }),
    turnOf(3, { role: 'stderr', text: ' careful' }),
  ];
  await withFakeServer(livingServer(turns, recordOf()), async ({ url }) => {
    const run = await cli(['run', 'demo', 'x'], { url, isTerminal: true });
    expect(run).toMatchObject({ exitCode: 0, out: 'hello\n' });
    expect(run.err).toBe('working… careful\n✓ sub_1 completed in 2.5 s\n');
  });
});

test('on a terminal an answer that was just shown is not said again; a pipe gets it', async () => {
  const turns = [
    turnOf(1, { role: 'mark', text: 'running' }),
    turnOf(2, { role: 'stderr', text: 'working\n' }),
    turnOf(3, { text: 'hel' }),
    turnOf(4, { text: 'lo' }),
    turnOf(5, { role: 'assistant', text: 'hello' }),
    turnOf(6, { role: 'mark', text: 'completed' }),
  ];
  await withFakeServer(livingServer(turns, recordOf()), async ({ url }) => {
    const live = '· running\nworking\nhello\n✓ sub_1 completed in 2.5 s\n';
    const seen = await cli(['run', 'demo', 'x'], { url, isTerminal: true });
    expect(seen).toMatchObject({ exitCode: 0, out: '', err: live });
    const piped = await cli(['run', 'demo', 'x'], { url, isTerminal: true, isPiped: true });
    expect(piped).toMatchObject({ exitCode: 0, out: 'hello\n', err: live });
    const json = await cli(['run', 'demo', 'x', '--json'], { url, isTerminal: true });
    expect(JSON.parse(json.out)).toEqual(recordOf());
  });
});

test('on a terminal an error is said once', async () => {
  const error = 'exited with code 3: no such\nmodel: x';
  const failed = recordOf({ status: 'failed', error, errorCode: 'exit_nonzero', result: null });
  const turns = [
    turnOf(1, { role: 'stderr', text: 'no such\nmodel: x\n' }),
    turnOf(2, { role: 'mark', text: `failed: ${error}` }),
  ];
  await withFakeServer(livingServer(turns, failed), async ({ url }) => {
    const run = await cli(['run', 'demo', 'x'], { url, isTerminal: true });
    expect(run).toMatchObject({ exitCode: 1, out: '' });
    expect(run.err).toBe('no such\nmodel: x\n✗ sub_1 failed in 2.5 s\n  exited with code 3\n');
  });
  await withFakeServer(livingServer(turns.slice(1), failed), async ({ url }) => {
    const { err } = await cli(['run', 'demo', 'x'], { url, isTerminal: true });
    expect(err).toBe('✗ sub_1 failed in 2.5 s\n  exited with code 3: no such\n  model: x\n');
  });
});

test('a mark that only looks like the end is shown once more comes', async () => {
  const turns = [
    turnOf(1, { role: 'mark', text: 'failed: to guess' }),
    turnOf(2, { text: 'on\n' }),
  ];
  await withFakeServer(livingServer(turns, recordOf()), async ({ url }) => {
    const { err } = await cli(['run', 'demo', 'x'], { url, isTerminal: true });
    expect(err).toBe('· failed: to guess\non\n✓ sub_1 completed in 2.5 s\n');
  });
});
