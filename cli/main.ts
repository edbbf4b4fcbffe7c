/** The `offshoot` command. */
import { createRequire } from 'node:module';
import { homeFolder } from '../client/index.ts';
import { readEnvironment } from '../contract/config.ts';
import { endWithReader } from './end-with-reader.ts';
import { inputOf, interruptsOf, outputOf } from './process-terminal.ts';
import { runCli } from './run-cli.ts';

const environment = readEnvironment(process.env);
const { version } = packageFile();

endWithReader();

process.exitCode = await runCli(
  {
    environment,
    processEnvironment: process.env,
    home: homeFolder(environment.home),
    cwd: process.cwd(),
    version,
    out: outputOf(process.stdout, environment.noColor),
    err: outputOf(process.stderr, environment.noColor),
    input: inputOf(process.stdin, process.stderr),
    streams: { stdin: process.stdin, stdout: process.stdout },
    now: Date.now,
    onInterrupt: interruptsOf(process),
  },
  process.argv.slice(2),
);

/** One folder up from the sources, two from `dist/`. */
function packageFile(): { version: string } {
  const require = createRequire(import.meta.url);
  const isBuilt = import.meta.url.endsWith('.js');
  return require(isBuilt ? '../../package.json' : '../package.json') as { version: string };
}
