/** What a hook brings beside its own words: its program's transcript, inline or in a file that is read before the transaction. */
import { AppError } from '../../contract/errors.ts';
import { askingThread } from '../../harnesses/codex/threads.ts';
import { findSession } from '../../store/sessions.ts';
import { snapshotOf } from '../../store/snapshots.ts';
import type { Deps } from '../deps.ts';
import type { Hearing, Hook } from './hook.ts';
import { isOwnTranscript } from './own-transcript.ts';
import { givenInline, readTranscript, type GivenTranscript } from './read-transcript.ts';

export interface Brought {
  transcript: GivenTranscript | null;
  /** Why the file that it names was not read. What came inline is kept all the same. */
  refusal: AppError | null;
}

type Reported = Pick<Hearing<unknown>, 'asking' | 'caller' | 'agentId' | 'about' | 'kind' | 'hook'>;

export async function bring(deps: Deps, reported: Reported, isWhole: boolean): Promise<Brought> {
  const { agentId, about, kind, hook } = reported;
  const { transcript, transcriptPath: path } = hook;
  try {
    if (transcript !== undefined) return { transcript: givenInline(transcript), refusal: null };
    if (path === undefined) return { transcript: null, refusal: null };
    const isOwn = (real: string) => isOwnTranscript(deps.store.db, reported, hook, real);
    const session = isWhole ? undefined : findSession(deps.store.db, agentId, about.sessionKey);
    const known = session ? snapshotOf(session) : null;
    const given = await readTranscript(path, deps.transcriptRoots(), known, isOwn);
    const isMissing = given === null && kind.needsTranscript === true;
    const missing = () => new AppError('not_found', `transcriptPath: there is no file ${path}`);
    return { transcript: given, refusal: isMissing ? missing() : null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { transcript: null, refusal: error };
  }
}

/** Of the sub-agent that a hook is about, where it does not say so itself and its transcript does. */
export function askerOf({ harness, sessionKey, harnessAgentId }: Hook, { transcript }: Brought) {
  if (harness !== 'codex' || harnessAgentId === undefined || transcript === null) return null;
  const asking = transcript.start === 0 ? askingThread(transcript.content) : null;
  return asking === sessionKey || asking === harnessAgentId ? null : asking;
}

export function answerAfter<A extends object>(answer: A, hook: Hook, { refusal }: Brought): A {
  if (refusal === null || 'bypassed' in answer) return answer;
  if (hook.transcriptOptional !== true) throw refusal;
  const { message, hint } = refusal;
  return { ...answer, transcriptRefused: hint === null ? message : `${message}. ${hint}` };
}
