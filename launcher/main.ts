/** The process that `up --detach` leaves behind. Its output is `<home>/logs/launcher.log`. */
import { parseArgs } from 'node:util';
import { homeFolder } from '../client/home-folder.ts';
import { loadConfig } from '../config/index.ts';
import { readEnvironment } from '../contract/config.ts';
import { describeEvent } from './events.ts';
import { launch } from './launch.ts';
import { obeySignals } from './obey-signals.ts';

const { values } = parseArgs({ options: { port: { type: 'string' } } });
const home = homeFolder(readEnvironment(process.env).home);
const log = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`);

try {
  const launcher = await launch({
    home,
    port: values.port === undefined ? null : Number(values.port),
    config: loadConfig(home),
    env: process.env,
    onEvent: (event) => log(describeEvent(event)),
  });
  obeySignals(launcher);
  const error = await launcher.finished;
  if (error !== null) process.exitCode = 1;
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
