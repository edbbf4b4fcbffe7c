import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { crashConfig, isLiving, untilAgents, untilGone, untilRunning } from './crash-fixture.ts';
import { startDetachedStack } from './detached-stack.ts';
import { impatientBuild } from './impatient-build.ts';
import { startStack, until } from './stack.ts';

/** Three seconds without contact. */
const config = {
  ...crashConfig,
  limits: { ...crashConfig.limits, leaseMinutes: 0.05, killGraceSeconds: 1 },
};

test('a host that is away: what is cancelled ends as unconfirmed, what runs is lost with its lease, and both processes are gone when it is back', async () => {
  const stack = await startStack({ config, entry: await impatientBuild() });
  try {
    const cancelled = await stack.start('sleep 120', { runnerId: 'sh' });
    const lost = await stack.start('sleep 120', { runnerId: 'sh' });
    for (const { id } of [cancelled, lost]) await untilRunning(stack.client, id);
    const agents = await untilAgents(stack.home, 4);
    const host = stack.pid('host');
    process.kill(host, 'SIGSTOP');
    await stack.client.call('cancelSubagent', { id: cancelled.id });
    // Its silence is noticed, and a look later.
    const record = await stack.ended(cancelled.id, 30);
    expect(record).toMatchObject({ status: 'cancelled', errorCode: 'cancelled' });
    expect(record.errorHint).toContain('process unconfirmed');
    expect(await stack.ended(lost.id, 30)).toMatchObject({ errorCode: 'outcome_unknown' });
    expect(agents.every(isLiving)).toBe(true);
    process.kill(host, 'SIGCONT');
    await untilGone(agents, 8);
    expect(stack.pid('host')).toBe(host);
    // What is heard of them afterwards is kept, and changes nothing but the doubt.
    const confirmed = await until(
      () => stack.client.call('getSubagent', { id: cancelled.id }),
      ({ errorHint }) => errorHint === null,
    );
    expect(confirmed).toEqual({ ...record, errorHint: null });
    const after = await stack.client.call('runSubagent', { runnerId: 'sh', prompt: 'echo good' });
    expect(after).toMatchObject({ status: 'completed' });
  } finally {
    await stack.stop();
  }
}, 90_000);

test('a host without contact for the time of its lease ends its processes, and their loss is told when the server is back', async () => {
  const stack = await startDetachedStack(config, await impatientBuild());
  try {
    const start = (runnerId: string) =>
      stack.client.call('runSubagent', {
        runnerId,
        executionMode: 'ASYNC_POLL',
        // Words of the shell alone: a helper that ends at once would be counted as an agent.
        prompt: 'if [ -e ran ]; then echo done; else : > ran; exec sleep 120; fi',
      });
    const fails = await start('sh');
    const again = await start('sh-again');
    for (const { id } of [fails, again]) await untilRunning(stack.client, id);
    const agents = await untilAgents(stack.home, 2);
    const host = stack.pid('host');
    stack.kill('launcher', 'server');
    await sleep(500);
    expect(agents.every(isLiving)).toBe(true);
    await untilGone(agents, 12);
    expect(isLiving(host)).toBe(true);
    await stack.up();
    const ended = (id: string) =>
      until(
        () => stack.client.call('getSubagent', { id }),
        ({ completedAt }) => completedAt !== null,
      );
    expect(await ended(fails.id)).toMatchObject({ errorCode: 'outcome_unknown' });
    expect(await ended(again.id)).toMatchObject({ result: { content: 'done' } });
  } finally {
    await stack.remove();
  }
}, 90_000);
