/** From "please run this" to its end, or in the asynchronous modes to its id. */
import type { CallOptions, OffshootClient } from '../client/index.ts';
import type { SubAgentRecord } from '../contract/records.ts';
import type { ExecutionMode } from '../contract/words.ts';
import type { CliDeps } from './deps.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { followToEnd } from './follow-to-end.ts';
import { withProgress } from './progress.ts';
import { writeJson } from './write-json.ts';

export interface StartOptions {
  executionMode: ExecutionMode;
  wait?: number;
  quiet?: boolean;
  json?: boolean;
}
type Start = (first: { waitSeconds?: number }, call: CallOptions) => Promise<SubAgentRecord>;

export async function startAndFollow(
  deps: CliDeps,
  client: OffshootClient,
  options: StartOptions,
  call: { idempotencyKey: string; parentSessionId: string | null },
  start: Start,
): Promise<ExitCode> {
  const isSync = options.executionMode === 'SYNC';
  const gone = new AbortController();
  const stopListening = deps.onInterrupt(() => gone.abort());
  let record: SubAgentRecord;
  try {
    // The id first, the answer then: an interruption must know what it leaves behind.
    const first = isSync ? { waitSeconds: 0 } : {};
    const started = start(first, { ...call, signal: gone.signal });
    record = await withProgress(deps, 'asking the server', started);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    const again = `The same command with --key ${call.idempotencyKey} finds it again.`;
    deps.err.write(`Interrupted before the server had answered. ${again}\n`);
    return exitCodes.interrupted;
  } finally {
    stopListening();
  }
  if (!isSync) return tellAccepted(deps, record, options);
  return followToEnd(deps, client, record, {
    waitSeconds: options.wait ?? Infinity,
    isLive: deps.err.isTerminal && !options.quiet,
    isJson: options.json ?? false,
    isOwn: true,
  });
}

/** The id alone on standard output, so that a script can take it from there. */
function tellAccepted(
  { out, err }: CliDeps,
  record: SubAgentRecord,
  { executionMode, json }: StartOptions,
): ExitCode {
  if (json) {
    writeJson(out, record);
    return exitCodes.ok;
  }
  out.write(`${record.id}\n`);
  const how =
    executionMode === 'ASYNC_CALLBACK' && record.parentSessionId !== null
      ? `its answer will be sent to ${record.parentSessionId}`
      : `its answer: offshoot wait ${record.id}`;
  if (err.isTerminal) err.write(`accepted; ${how}\n`);
  return exitCodes.ok;
}
