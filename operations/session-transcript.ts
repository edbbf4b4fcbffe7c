/** What a session has said: as text, in pages, and live. */
import { AppError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import type { SessionTurn } from '../contract/transcripts.ts';
import { pageOfTurns, sessionTurns } from '../store/session-turns.ts';
import { findSessionById } from '../store/sessions.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { mayReadSession, requireReadableSession } from './gate.ts';
import { createHint } from './watch-hint.ts';

export async function getSessionTranscript(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'getSessionTranscript'>,
): Promise<OperationOutput<'getSessionTranscript'>> {
  const session = requireReadableSession(deps, caller, input);
  const { db } = deps.store;
  const about = { sessionKey: session.session_key, agentId: session.agent_id };
  if (input.format === 'turns') {
    const page = pageOfTurns(db, session.id, { ...input, bytesMax: limits.pageBytesMax });
    const nextAfter = page.hasMore ? page.rows.at(-1)!.seq : null;
    return { ...about, turns: sessionTurns(db, session.id, page.rows), nextAfter };
  }
  // What the view tells: what tools were asked and have answered may be a hundred times as much.
  const { bytes } = db.get<{ bytes: number }>(
    `SELECT coalesce(sum(octet_length(text)), 0) AS bytes FROM turns
     WHERE session_id = :id AND role IN ('user', 'assistant', 'callback')`,
    { id: session.id },
  )!;
  if (bytes > limits.pageBytesMax) {
    throw new AppError('transcript_too_large', 'The transcript is too long for one answer.', {
      hint: 'Read it in pages: ?format=turns&after=…',
    });
  }
  const { content } = db.get<{ content: string }>(
    `SELECT content FROM session_transcripts WHERE agent_id = :agentId AND session_key = :sessionKey`,
    about,
  )!;
  if (content === '') {
    throw new AppError('not_found', `there is no transcript of ${session.session_key} yet`);
  }
  return { ...about, content };
}

/** What is held for a reader that takes nothing. */
const STREAM_PAGE_BYTES = 256 * 1024;

export interface WatchedTurn {
  id: number;
  event: 'turn';
  data: SessionTurn;
}

/**
 * First the turns that are there, then each as it comes, until the reader leaves, the session is deleted, or it moves to
 * where the reader does not reach.
 */
export async function* watchSession(
  deps: Deps,
  caller: Caller,
  input: { key: string; agentId?: string | undefined; after: number },
): AsyncIterable<WatchedTurn> {
  const session = requireReadableSession(deps, caller, input);
  const hint = createHint(
    deps,
    caller,
    (change) =>
      (change.kind === 'turn' || change.kind === 'moved') && change.sessionId === session.id,
  );
  let after = input.after;
  try {
    while (!caller.gone.aborted) {
      const now = findSessionById(deps.store.db, session.id);
      if (!now || !mayReadSession(deps, caller, now)) return;
      const { rows } = pageOfTurns(deps.store.db, session.id, {
        after,
        limit: limits.transcriptPageDefault,
        bytesMax: STREAM_PAGE_BYTES,
      });
      for (const turn of sessionTurns(deps.store.db, session.id, rows)) {
        after = turn.seq;
        yield { id: turn.seq, event: 'turn', data: turn };
      }
      if (rows.length > 0) continue;
      await hint.next();
    }
  } finally {
    hint.close();
  }
}
