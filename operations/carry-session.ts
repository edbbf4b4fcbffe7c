/** One session as lines of JSON, and back: the same turns, and a second time nothing. */
import type { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { limits } from '../contract/limits.ts';
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import {
  exportedSessionSchema,
  exportedTurnSchema,
  type ExportedTurn,
} from '../contract/transcripts.ts';
import { redact, redactLine, redactValue } from '../domain/redact.ts';
import { canonicalName } from '../harnesses/names.ts';
import { exportedTurn, pageOfTurns } from '../store/session-turns.ts';
import { rangesOf, setRanges } from '../store/reading-order.ts';
import { insertSession, findSession, type SessionRow } from '../store/sessions.ts';
import { appendTurns } from '../store/turns.ts';
import type { Tx } from '../store/write-queue.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireAdmin, requireOperator, requireReadableSession } from './gate.ts';

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
    bytesMax: limits.pageBytesMax,
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
  };
  const turns = rows.map(exportedTurn);
  const lines = [head, ...(input.raw ? turns : turns.map(redacted))].map(
    (one) => `${JSON.stringify(one)}\n`,
  );
  return { jsonl: lines.join(''), nextAfter: hasMore ? rows.at(-1)!.seq : null };
}

/** What was said and all that is kept of how: a line of its program stays one that can be read. */
const redacted = ({ text, raw, tools, extra, ...turn }: ExportedTurn): ExportedTurn => ({
  ...turn,
  text: redact(text),
  raw: raw === null ? null : redactLine(raw),
  tools: tools?.map((tool) => ({ ...tool, text: redactLine(tool.text) })) ?? null,
  extra: redactValue(extra) as ExportedTurn['extra'],
});

/** The order in which turns are read comes with the last page, and is the same in all of them. */
export async function importSession(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'importSession'>,
): Promise<OperationOutput<'importSession'>> {
  requireAdmin(caller);
  const [first = '', ...rest] = input.jsonl.split('\n').filter((line) => line.trim() !== '');
  const head = parseLine(exportedSessionSchema, first, 1);
  const turns = rest.map((line, index) => parseLine(exportedTurnSchema, line, index + 2));
  const agentId = input.agentId ?? head.agentId;
  const { sessionKey, project, title } = head;
  const harness = head.harness === null ? null : canonicalName(head.harness);
  const at = turns[0] && new Date(turns[0].at).toISOString();
  const begun = { agentId, sessionKey, ...(at !== undefined && { at }) };
  return deps.store.write((tx) => {
    const session =
      findSession(tx.db, agentId, sessionKey) ??
      insertSession(tx, { ...begun, kind: 'external', harness, project, title });
    const known = turns.filter((turn) => turn.seq <= session.last_seq);
    for (const turn of known) requireSame(tx, session, turn);
    const fresh = turns.slice(known.length);
    fresh.forEach((turn, index) => {
      if (turn.seq !== session.last_seq + 1 + index) {
        throw new AppError('bad_request', `jsonl: turn ${turn.seq} does not follow what is there`, {
          hint: 'Import the pages of an export in their order.',
        });
      }
    });
    appendTurns(tx, session.id, fresh.map(newTurn));
    if (fresh.length > 0) setRanges(tx, session.id, head.order);
    return { sessionKey, agentId, added: fresh.length, known: known.length };
  });
}

const newTurn = ({ seq: _seq, at, raw, tools, source, extra, ...turn }: ExportedTurn) => ({
  ...turn,
  at: new Date(at).toISOString(),
  ...(source !== null && { source }),
  ...(raw !== null && { raw }),
  ...(tools !== null && { tools: JSON.stringify(tools) }),
  ...(extra !== null && { extra: JSON.stringify(extra) }),
});

/** Two sessions that have gone different ways are not made one. */
function requireSame(tx: Tx, session: SessionRow, turn: ExportedTurn): void {
  const there = tx.db.get<{ role: string; text: string }>(
    'SELECT role, text FROM turns WHERE session_id = :id AND seq = :seq',
    { id: session.id, seq: turn.seq },
  );
  // One of the two may be of an export without secrets.
  const isSame = there?.text === turn.text || redact(there?.text ?? '') === redact(turn.text);
  if (there?.role === turn.role && isSame) return;
  throw new AppError(
    'parent_conflict',
    `turn ${turn.seq} of ${session.session_key} is another one`,
    {
      hint: hints.otherAgent.http,
    },
  );
}

function parseLine<S extends z.ZodType>(schema: S, line: string, number: number): z.output<S> {
  try {
    return schema.parse(JSON.parse(line));
  } catch (cause) {
    throw new AppError('bad_request', `jsonl: line ${number} is not one of an export`, { cause });
  }
}
