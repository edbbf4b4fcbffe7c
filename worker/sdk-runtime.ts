/** Temporal's runtime for our processes: our signals, our log, no line without end. */
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Log } from '../contract/log.ts';
import { workflowSubject } from './workflow-subject.ts';

/** An agent that fails is data: its record says how, and the log is for what went wrong with us. */
const agentFailed = 'Workflow failed';

/** Once per process, before the first worker or connection. */
export function installSdkRuntime(log: Log): void {
  Runtime.install({
    // We end by our own rules, agents first.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      if (message === agentFailed) return;
      const about = workflowSubject(String(meta?.['workflowId'] ?? ''));
      log(message, { level: level === 'ERROR' ? 'error' : 'warn', ...about });
    }),
    telemetryOptions: {
      logging: {
        filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }),
        // Through our log, which has an end to every line: the core prints whole histories.
        forward: {},
      },
    },
  });
}
