/** `hook`, for `--help`: `bin/offshoot.mjs` runs it without loading any of this (`cli/hook/main.ts`). */
import type { Command } from 'commander';
import type { Cli, CliDeps } from '../deps.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { readHookEnvironment } from '../hook/hook-environment.ts';
import { runHook } from '../hook/run-hook.ts';

export function addHookCommand(program: Command, { action }: Cli): void {
  program
    .command('hook <event>')
    .description("report an agent program's event, for its hook commands; its payload is on stdin")
    .requiredOption('--harness <name>', 'the program: claude-code, codex, gemini-cli, …')
    .addHelpText(
      'after',
      "\nThe event is one of POST /api/hooks/<event> or the program's own name of it. Exit code 0 always.",
    )
    .action(action(hook));
}

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
