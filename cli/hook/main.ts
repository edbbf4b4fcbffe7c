/**
 * `offshoot hook <event> --harness <name>`, for the hook commands of agent programs. It runs at every prompt, with the
 * user waiting: so it is a program of its own that loads nothing of the rest of the command line. It always ends with
 * exit code 0, because programs take another one as a reason to stop the agent.
 */
import { homeFolder } from '../../client/home-folder.ts';
import { isOff, readHookEnvironment } from './hook-environment.ts';
import { runHook } from './run-hook.ts';

const environment = readHookEnvironment(process.env);
const over = new AbortController();

process.on('uncaughtException', (error) => {
  end({ out: '', err: `offshoot hook: ${error.message}\n` });
});
// A program that ends a slow hook gets it kept: what was being sent is spooled.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => over.abort());
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(0));

if (isOff(environment)) process.exit(0);
end(
  await runHook({
    args: process.argv.slice(3),
    stdin: process.stdin,
    environment,
    home: homeFolder(environment.home),
    now: Date.now,
    signal: over.signal,
  }),
);

/** Not before it is written; and at once then, because a program may keep our stdin open. */
function end({ out, err }: { out: string; err: string }): void {
  process.stderr.write(err, () => process.stdout.write(out, () => process.exit(0)));
}
