/** The process that `up --detach` leaves behind. Its output is `<home>/logs/launcher.log`. */
import { parseArgs } from 'node:util';
import { homeFolder } from '../client/home-folder.ts';
import { loadConfig } from '../config/index.ts';
import { readEnvironment } from '../contract/config.ts';
import { launch } from './launch.ts';
import { runLauncher } from './run-launcher.ts';

const { values } = parseArgs({ options: { port: { type: 'string' } } });
const home = homeFolder(readEnvironment(process.env).home);
const port = values.port === undefined ? null : Number(values.port);
const log = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`);

process.exitCode = await runLauncher({ home, log }, async (onEvent) =>
  launch({ home, port, config: loadConfig(home), env: process.env, onEvent }),
);
