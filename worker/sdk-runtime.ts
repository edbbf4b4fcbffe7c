/** Temporal's runtime for our processes: our signals, our log, no line without end. */
import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  type LogEntry,
} from '@temporalio/worker';
import type { Log } from '../contract/log.ts';
import { workflowSubject } from './workflow-subject.ts';

/** What tells of no trouble of ours. */
const unsaid = new Set([
  // An agent that fails is data: its record says how, and the log is for what went wrong with us.
  'Workflow failed',
  // Said at each start of a runner host, which has activities alone.
  'No workflows registered, not polling for workflow tasks',
]);

/** Once per process, before the first worker or connection. */
export function installSdkRuntime(log: Log): void {
  Runtime.install({
    // We end by our own rules, agents first.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', sdkLog(log)),
    telemetryOptions: {
      logging: {
        filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }),
        // Through our log, which has an end to every line: the core prints whole histories.
        forward: {},
      },
    },
  });
}

export function sdkLog(log: Log) {
  return ({ level, message, meta }: Pick<LogEntry, 'level' | 'message' | 'meta'>): void => {
    if (unsaid.has(message)) return;
    const about = workflowSubject(String(meta?.['workflowId'] ?? ''));
    log(message, { level: level === 'ERROR' ? 'error' : 'warn', ...about });
  };
}
