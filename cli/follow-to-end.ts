/** Waits for one invocation at the terminal, shows what it says meanwhile, and tells how it ended. */
import type { OffshootClient } from '../client/index.ts';
import { findableBy } from '../client/retry.ts';
import { anySignal } from '../contract/any-signal.ts';
import type { SubAgentRecord, Turn } from '../contract/records.ts';
import { finalStatuses, isFinal } from '../contract/words.ts';
import type { CliDeps, Output } from './deps.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { interruption } from './interruption.ts';
import { withProgress } from './progress.ts';
import { createStyle } from './render/style.ts';
import { renderOutput } from './render/transcript.ts';
import { Shown } from './shown.ts';
import { tellEnd } from './tell-end.ts';

/** Node's timers count no further. */
const timerMsMax = 2 ** 31 - 1;

export interface FollowOptions {
  waitSeconds: number;
  /** Shows its output, dimmed, on standard error. */
  isLive: boolean;
  isJson: boolean;
  /** Ctrl-C asks whether to cancel it: for what was started here, not for what is only watched. */
  isOwn: boolean;
}

export async function followToEnd(
  deps: CliDeps,
  client: OffshootClient,
  record: SubAgentRecord,
  options: FollowOptions,
): Promise<ExitCode> {
  if (isFinal(record.status)) return tellEnd(deps, record, options);
  const stop = new AbortController();
  const interrupt = interruption(deps, options.isOwn ? record.id : null);
  const quieter = { ...deps, err: quietWhile(deps.err, interrupt.isAsking) };
  const shown = new Shown();
  const work = findableBy(
    `It was accepted, and goes on: start the server with \`offshoot up\`, then \`offshoot wait ${record.id}\`.`,
    options.isLive
      ? followLive({ err: quieter.err, shown }, client, record, options.waitSeconds, stop.signal)
      : withProgress(
          quieter,
          `${record.id} is running`,
          wait(client, record, options, stop.signal),
        ),
  );
  try {
    const first = await Promise.race([work, interrupt.choice]);
    if (typeof first !== 'string') {
      // A question that is open has kept output back.
      if (!interrupt.isAsking()) return tellEnd(deps, first, options, shown);
      deps.err.write('\n');
      return tellEnd(deps, first, options);
    }
    stop.abort();
    await work.catch(() => undefined);
    return await leave(deps, client, record.id, first);
  } finally {
    interrupt.forget();
  }
}

/** A question that is open is not written over. The answer comes anyway, and `logs` has all the rest. */
function quietWhile(output: Output, isQuiet: () => boolean): Output {
  return {
    ...output,
    write: (text) => {
      if (!isQuiet()) output.write(text);
    },
  };
}

async function leave(
  { err }: CliDeps,
  client: OffshootClient,
  id: string,
  choice: 'leave' | 'cancel',
): Promise<ExitCode> {
  if (choice === 'cancel') {
    const { status } = await client.call('cancelSubagent', { id, reason: 'Ctrl-C' });
    err.write(`${id} is ${isFinal(status) ? status : 'being cancelled'}.\n`);
  } else {
    err.write(`${id} goes on. Its answer: offshoot wait ${id}\n`);
  }
  return exitCodes.interrupted;
}

async function wait(
  client: OffshootClient,
  record: SubAgentRecord,
  { waitSeconds }: FollowOptions,
  signal: AbortSignal,
): Promise<SubAgentRecord> {
  const input = { ids: [record.id], ...(waitSeconds === Infinity ? {} : { waitSeconds }) };
  const { done, open } = await client.call('waitSubagents', input, { signal });
  return done[0] ?? open[0] ?? record;
}

/** Ends with the final record, or after `waitSeconds` with the running one. */
async function followLive(
  { err, shown }: { err: Output; shown: Shown },
  client: OffshootClient,
  record: SubAgentRecord,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<SubAgentRecord> {
  const style = createStyle(err.hasColor);
  const late = new AbortController();
  const timer =
    waitSeconds === Infinity
      ? null
      : setTimeout(() => late.abort(), Math.min(waitSeconds * 1000, timerMsMax));
  let isAtLineStart = true;
  const show = (turn: Turn) => {
    const text = renderOutput(turn, createStyle(false));
    if (text !== '') isAtLineStart = text.endsWith('\n');
    shown.add(text);
    err.write(style.dim(text));
  };
  // The mark of its end is held back: if the end comes next, that is told anyway.
  let held: Turn | null = null;
  try {
    const both = anySignal([signal, late.signal]);
    for await (const event of client.events(record.id, { signal: both })) {
      if (event.event === 'end') return event.data;
      if (held !== null) show(held);
      held = isEndMark(event.data) ? event.data : null;
      if (held === null) show(event.data);
    }
  } catch (error) {
    if (!late.signal.aborted) throw error;
  } finally {
    if (timer) clearTimeout(timer);
    if (!isAtLineStart) err.write('\n');
  }
  return await client.call('getSubagent', { id: record.id });
}

function isEndMark({ role, text }: Turn): boolean {
  const [status = ''] = text.split(/[:,]/, 1);
  return role === 'mark' && (finalStatuses as readonly string[]).includes(status);
}
