/** `hook`, for `--help`: `bin/offshoot.mjs` runs it without loading any of this (`cli/hook/main.ts`). */
import type { Command } from 'commander';
import { hookEvents } from '../../harnesses/hooks.ts';
import { harnesses } from '../../harnesses/names.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { readHookEnvironment } from '../hook/hook-environment.ts';
import { runHook } from '../hook/run-hook.ts';

export function addHookCommand(program: Command, { action }: Cli): void {
  program
    .command('hook <event>')
    .description("report an agent program's event, for its hook commands; its payload is on stdin")
    .requiredOption('--harness <name>', `the program: ${harnesses.join(', ')}, or another name`)
    .addHelpText('after', `\n${eventWords}`)
    .action(action(hook));
}

const eventWords = `The event is the program's own name of it, or one of ours:
  ${hookEvents.slice(0, 4).join(', ')},
  ${hookEvents.slice(4, 7).join(', ')},
  ${hookEvents.slice(7).join(', ')}
How each program is told to run it: docs/hooks.md. The exit code is always 0;
what went wrong is told on stderr.`;

async function hook(
  deps: CliDeps,
  event: string,
  { harness }: { harness: string },
): Promise<ExitCode> {
  const { out, err } = await runHook({
    args: [event, '--harness', harness],
    stdin: deps.streams.stdin,
    environment: readHookEnvironment(deps.processEnvironment),
    home: deps.home,
    now: deps.now,
    signal: new AbortController().signal,
  });
  deps.out.write(out);
  deps.err.write(err);
  return exitCodes.ok;
}
