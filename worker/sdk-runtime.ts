/** Temporal's runtime for our processes: our signals, our log, no line without end. */
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

/** Once per process, before the first worker or connection. */
export function installSdkRuntime(log: (message: string) => void): void {
  Runtime.install({
    // We end by our own rules, agents first.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', (entry) => log(`${entry.level} ${entry.message}`)),
    telemetryOptions: {
      logging: {
        filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }),
        // Through our log, which has an end to every line: the core prints whole histories.
        forward: {},
      },
    },
  });
}
