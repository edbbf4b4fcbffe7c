/** A hook that comes again: by what it is known, and what it may bring that it has not brought before. */
import { createHash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { hints } from '../../contract/hints.ts';
import type { RuntimePath } from '../../contract/words.ts';
import { refuseOtherPath } from '../../store/claims.ts';
import { changeAnswer, type KeptAnswer } from '../../store/hook-answers.ts';
import { withdrawOffers } from '../../store/offers.ts';
import type { SessionRow } from '../../store/sessions.ts';
import type { Tx } from '../../store/write-queue.ts';
import type { Caller } from '../caller.ts';
import type { Hook, HookKind } from './hook.ts';
import type { GivenTranscript } from './read-transcript.ts';
import { takeTranscript } from './take-transcript.ts';

export interface Name {
  key: string;
  /** Stands for what it says in fields of its own; null where the key does so already. */
  said: string | null;
}

/**
 * What makes a repeat of this hook known: its key, or that it says when it happened. Without either, the
 * same words twice in a row are a repeat.
 */
export function nameOf(kind: HookKind, caller: Caller, hook: Hook): Name | null {
  const key = hook.idempotencyKey ?? caller.idempotencyKey;
  if (key !== null) return { key: `${kind.name} ${key}`, said: saidOf(hook) };
  if (hook.at === undefined) return null;
  const { transcript: _inline, transcriptPath: _path, ...rest } = hook;
  return { key: `${kind.name} ${hashOf(JSON.stringify(rest))}`, said: null };
}

interface Again {
  name: Name;
  kept: KeptAnswer;
  hook: Hook;
  given: GivenTranscript | null;
  /** Nobody reads what it is answered. */
  isUnread: boolean;
  path: RuntimePath | null;
  /** The session that it is in, where that is another. */
  holder: SessionRow | null;
  taken: Parameters<typeof takeTranscript>[3];
}

/**
 * Answered as it was, and its words are not said again. Its transcript may be there only now, or say more than it did: of
 * that what is new is taken.
 */
export function hearAgain(tx: Tx, session: SessionRow, again: Again): unknown {
  const { name, kept, hook, given, isUnread, path, holder, taken } = again;
  if (name.said !== kept.said && kept.said !== null) throw anotherHook();
  // What its first answer offered may never have been read: else the end of the turn would settle it.
  if (isUnread) withdrawOffers(tx, session);
  const transcript = transcriptName(hook, given);
  if (given === null || transcript === kept.transcript) return kept.answer;
  for (const one of [session, holder]) if (one) refuseOtherPath(one, path, tx.now);
  takeTranscript(tx, session, given, taken);
  changeAnswer(tx, session.id, name.key, { ...kept, transcript });
  return kept.answer;
}

const anotherHook = () =>
  new AppError('idempotency_mismatch', 'this Idempotency-Key was used for a hook of other words', {
    hint: hints.newKey.http,
  });

/**
 * Stands for the transcript that a hook brought, at no cost by its length: its end is enough, as it grows there. One that
 * is taken for another adds nothing that is known.
 */
export function transcriptName(hook: Hook, given: GivenTranscript | null): string | null {
  if (given === null) return null;
  const { file, start, content } = given;
  if (file !== null) return `${file}:${start + content.from(0).length}`;
  const { length } = hook.transcript!;
  return `${length}:${hashOf(hook.transcript!.slice(-END_CHARS))}`;
}

const END_CHARS = 1024;

/**
 * Of the words, and what a start or end says of itself. Not of what may differ when the same is sent again: its time, where
 * it comes from and what nobody knows.
 */
function saidOf(hook: Hook): string {
  const hash = createHash('sha256');
  const fields: Partial<Record<string, unknown>> = { ...hook };
  for (const name of saying) {
    const value = fields[name];
    if (typeof value !== 'string') continue;
    hash.update(`${name} ${value.length} `);
    hash.update(value);
  }
  return hash.digest('base64url');
}

const saying = [
  'userMessage',
  'userPrompt',
  'lastAssistantMessage',
  'allSaid',
  'prompt',
  'summary',
  'source',
  'reason',
  'agentType',
  'parentSessionKey',
  'parentHarnessAgentId',
] as const;

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');
