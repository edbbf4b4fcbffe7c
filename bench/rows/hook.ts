/**
 * `offshoot hook` for one prompt, from its process's start to its end, with a server that answers. Beside it a Node that
 * does nothing: what is above it is what a hook adds to every prompt of the program that it is installed in.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { alternate, timed } from '../alternate.ts';
import { note, plainFigure, type Figure } from '../figure.ts';
import type { Row } from '../row.ts';
import { withStack, type Stack } from '../stack.ts';
import { median, quantile } from '../statistics.ts';

const binFile = fileURLToPath(new URL('../../../bin/offshoot.mjs', import.meta.url));

export const hookRow: Row = {
  name: 'hook',
  measure: ({ quick }) =>
    withStack({}, async (stack) => {
      const rounds = quick ? { rounds: 5, warmUp: 2 } : { rounds: 100, warmUp: 10 };
      const { ours, floor } = await alternate(
        rounds,
        () => timed(() => hook(stack)),
        () => timed(() => run(stack, ['-e', '0'])),
      );
      return figures(ours, floor);
    }),
};

function figures(ours: readonly number[], floor: readonly number[]): Figure[] {
  const added = ours.map((ms, index) => ms - (floor[index] ?? 0));
  const what = '`offshoot hook` beyond `node -e 0`';
  return [
    plainFigure(`${what}, p50`, median(added), 'ms', 40),
    note(`${what}, p90`, `${quantile(added, 0.9).toFixed(1)} ms`),
    note('`node -e 0`, p50', `${median(floor).toFixed(1)} ms`),
  ];
}

/** As a program that we do not know: it is given the server's answer whole, so none is told from nothing said. */
async function hook(stack: Stack): Promise<void> {
  const args = [binFile, 'hook', 'user-prompt-submit', '--harness', 'bench'];
  const payload = { session_id: 'bench', cwd: stack.home, prompt: 'What do we know?' };
  const { out, err } = await run(stack, args, JSON.stringify(payload));
  if (!out.includes('"inject"')) throw new Error(`the hook was not answered: ${err}`);
}

function run(
  { home }: Stack,
  args: readonly string[],
  stdin = '',
): Promise<{ out: string; err: string }> {
  const child = spawn(process.execPath, args, { env: { ...process.env, OFFSHOOT_HOME: home } });
  const told = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (told.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (told.err += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(told));
  });
}
