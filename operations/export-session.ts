/** One session as lines of JSON, page by page. */
import { setImmediate as laterTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { limits } from '../contract/limits.ts';
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import type { ExportedTurn, exportedSessionSchema } from '../contract/transcripts.ts';
import { redact, redactLine, redactValue } from '../domain/redact.ts';
import { rangesOf } from '../store/reading-order.ts';
import { endOf } from '../store/session-end.ts';
import { exportedTurn, pageOfTurns } from '../store/session-turns.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireOperator, requireReadableSession } from './gate.ts';

export async function exportSession(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'exportSession'>,
): Promise<OperationOutput<'exportSession'>> {
  const session = requireReadableSession(deps, caller, input);
  if (input.raw) requireOperator(caller);
  const { db } = deps.store;
  const { rows, hasMore } = pageOfTurns(db, session.id, {
    after: input.after,
    limit: limits.pageMax,
    bytesMax: limits.exportPageBytesMax,
  });
  const head: z.input<typeof exportedSessionSchema> = {
    offshoot: 'session',
    version: 1,
    sessionKey: session.session_key,
    agentId: session.agent_id,
    harness: session.harness,
    project: session.project,
    title: input.raw || session.title === null ? session.title : redact(session.title),
    order: rangesOf(db, session.id),
    endedAt: endOf(db, session),
  };
  const lines = [line(head)];
  for (const row of rows) {
    const turn = exportedTurn(row);
    lines.push(line(input.raw ? turn : redacted(turn)));
    // What others ask is answered between two turns, not after a page of them.
    await laterTurn();
  }
  return { jsonl: lines.join(''), nextAfter: hasMore ? rows.at(-1)!.seq : null };
}

const line = (value: object) => `${JSON.stringify(value)}\n`;

/** What was said and all that is kept of how: a line of its program stays one that can be read. */
const redacted = ({ text, raw, tools, extra, ...turn }: ExportedTurn): ExportedTurn => ({
  ...turn,
  text: redact(text),
  raw: raw === null ? null : redactLine(raw),
  tools: tools?.map((tool) => ({ ...tool, text: redactLine(tool.text) })) ?? null,
  extra: redactValue(extra) as ExportedTurn['extra'],
});
