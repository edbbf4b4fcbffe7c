/** The command line of the dev server. The measurements behind it are in `docs/performance.md`. */

export interface EngineArguments {
  database: string;
  host: string;
  port: number;
  uiPort: number;
  namespace: string;
  durable: boolean;
}

export function engineArguments(options: EngineArguments): string[] {
  const pragmas = ['journal_mode=wal', `synchronous=${options.durable ? 'full' : 'normal'}`];
  return [
    ...['server', 'start-dev', '--db-filename', options.database],
    ...['--ip', options.host, '--port', String(options.port), '--ui-port', String(options.uiPort)],
    ...['--namespace', options.namespace, '--log-level', 'warn', '--ui-disable-news-fetch'],
    ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...dynamicConfig.flatMap((value) => ['--dynamic-config-value', value]),
  ];
}

/**
 * The dev server has one history shard, whose queues are read 20 times a second by default: every
 * step of every workflow would wait up to 50 ms. Eager activities save a round trip more.
 */
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.visibilityProcessorMaxPollRPS=200',
  'system.enableActivityEagerExecution=true',
];

/** Reads our own command line back from a running process, for an engine whose file was lost. */
export function parseEngineArguments(args: string[]) {
  const after = (flag: string) => args[args.indexOf(flag) + 1];
  if (!args.includes('start-dev') || !args.includes('--db-filename')) return null;
  const [database, host, port] = [after('--db-filename'), after('--ip'), after('--port')];
  const [uiPort, namespace] = [after('--ui-port'), after('--namespace')];
  if (!database || !host || !port || !uiPort || !namespace) return null;
  return { database, host, port: Number(port), uiPort: Number(uiPort), namespace };
}
