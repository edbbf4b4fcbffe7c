/** One session from lines of JSON: the same turns as in the store that it comes from, and a second time nothing. */
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { describeIssues, issueWords } from '../contract/issues.ts';
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import {
  exportedSessionSchema,
  exportedTurnSchema,
  type ExportedTurn,
} from '../contract/transcripts.ts';
import { redact } from '../domain/redact.ts';
import { canonicalName } from '../harnesses/names.ts';
import { setRanges } from '../store/reading-order.ts';
import { findSession, insertSession, setEnded, type SessionRow } from '../store/sessions.ts';
import { appendTurns } from '../store/turns.ts';
import type { Tx } from '../store/write-queue.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireAdmin } from './gate.ts';

/** The order in which turns are read comes with the last page, and is the same in all of them. */
export async function importSession(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'importSession'>,
): Promise<OperationOutput<'importSession'>> {
  requireAdmin(caller);
  const [first, ...rest] = linesOf(input.jsonl);
  const head = parseLine(exportedSessionSchema, first ?? { text: '', number: 1 });
  const turns = rest.map((line) => parseLine(exportedTurnSchema, line));
  const agentId = input.agentId ?? head.agentId;
  const { sessionKey, project, title, endedAt } = head;
  const harness = head.harness === null ? null : canonicalName(head.harness);
  const at = turns[0]?.at ?? endedAt;
  const begun = { agentId, sessionKey, ...(at && { at: isoOf(at) }) };
  return deps.store.write((tx) => {
    const there = findSession(tx.db, agentId, sessionKey);
    const session =
      there ?? insertSession(tx, { ...begun, kind: 'external', harness, project, title });
    const known = turns.filter((turn) => turn.seq <= session.last_seq);
    for (const turn of known) requireSame(tx, session, turn);
    const fresh = turns.slice(known.length);
    requireInOrder(session, fresh);
    appendTurns(tx, session.id, fresh.map(newTurn));
    if (fresh.length > 0) setRanges(tx, session.id, head.order);
    // An older export says nothing of its end; and what has gone on here is no more what was exported. One that we run has
    // no end of its own: it goes on with the next message.
    const isNews = there === undefined || fresh.length > 0;
    const takesEnd = isNews && session.kind === 'external';
    if (takesEnd && endedAt !== undefined) setEnded(tx, session, endedAt && isoOf(endedAt));
    return { sessionKey, agentId, added: fresh.length, known: known.length };
  });
}

interface Line {
  text: string;
  /** As people count them, empty ones too. */
  number: number;
}

const linesOf = (jsonl: string): Line[] =>
  jsonl
    .split('\n')
    .map((text, index) => ({ text, number: index + 1 }))
    .filter(({ text }) => text.trim() !== '');

const isoOf = (at: string) => new Date(at).toISOString();

const newTurn = ({ seq: _seq, at, raw, tools, source, extra, ...turn }: ExportedTurn) => ({
  ...turn,
  at: isoOf(at),
  ...(source !== null && { source }),
  ...(raw !== null && { raw }),
  ...(tools !== null && { tools: JSON.stringify(tools) }),
  ...(extra !== null && { extra: JSON.stringify(extra) }),
});

function requireInOrder(session: SessionRow, fresh: ExportedTurn[]): void {
  for (const [index, turn] of fresh.entries()) {
    if (turn.seq === session.last_seq + 1 + index) continue;
    throw new AppError('bad_request', `jsonl: turn ${turn.seq} does not follow what is there`, {
      hint: 'Import the pages of an export in their order.',
    });
  }
}

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

function parseLine<S extends z.ZodType>(schema: S, { text, number }: Line): z.output<S> {
  try {
    return schema.parse(JSON.parse(text), { error: issueWords });
  } catch (cause) {
    const why = cause instanceof z.ZodError ? describeIssues(cause) : 'it is not JSON';
    throw new AppError(
      'bad_request',
      `jsonl: line ${number} is not one of an export: ${why.replaceAll('\n', '; ')}`,
      { cause, hint: 'Export the session once more: this line was changed, or cut off.' },
    );
  }
}
