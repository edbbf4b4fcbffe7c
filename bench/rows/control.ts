/** The same request on both sides: a ratio far from 1 means that this machine measures nothing now. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alternate, timed } from '../alternate.ts';
import { withEcho } from '../bare/start.ts';
import { ratioOf } from '../statistics.ts';
import { post } from '../stack.ts';

export interface Control {
  ratio: number;
  isSound: boolean;
}

export async function measureControl({ quick }: { quick: boolean }): Promise<Control> {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-bench-'));
  try {
    return await withEcho({ home }, async (echo) => {
      const once = () => timed(() => post(echo, '/', { prompt: 'x' }));
      const rounds = quick ? { rounds: 100, warmUp: 30 } : { rounds: 1000, warmUp: 300 };
      const { ours, floor } = await alternate(rounds, once, once);
      const { ratio } = ratioOf(ours, floor);
      return { ratio, isSound: ratio >= 0.9 && ratio <= 1.1 };
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
