import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { anySignal } from '../../contract/any-signal.ts';

test('a time limit comes, whatever the garbage collector has done meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const life = new AbortController();
  let fired = 0;
  const listen = () =>
    anySignal([life.signal, AbortSignal.timeout(200)]).addEventListener(
      'abort',
      () => (fired += 1),
      { once: true },
    );
  for (let n = 0; n < 10; n += 1) listen();
  for (let n = 0; n < 15; n += 1) {
    await sleep(20);
    collect();
  }
  expect(fired).toBe(10);
});
