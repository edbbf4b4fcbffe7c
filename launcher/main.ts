/** The process that `up --detach` leaves behind. Its output is `<home>/logs/launcher.log`. */
import { parseArgs } from 'node:util';
import { homeFolder } from '../client/home-folder.ts';
import { loadConfig } from '../config/index.ts';
import { readEnvironment } from '../contract/config.ts';
import { createLogger, writeTo } from '../telemetry/logger.ts';
import { launch } from './launch.ts';
import { runLauncher } from './run-launcher.ts';

const { values } = parseArgs({ options: { port: { type: 'string' } } });
const home = homeFolder(readEnvironment(process.env).home);
const port = values.port === undefined ? null : Number(values.port);
// `up` follows these lines to know that it goes on: none of them may be left out.
const level = () => 'info' as const;
const log = createLogger({ process: 'launcher', level, write: writeTo(process.stderr) });

process.exitCode = await runLauncher({ home, log }, async (onEvent) =>
  launch({ home, port, readConfig: () => loadConfig(home), env: process.env, onEvent }),
);
