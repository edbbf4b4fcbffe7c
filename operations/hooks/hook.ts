/** What a hook is, in the words of those that hear it. */
import type { OperationName } from '../../contract/operations.ts';
import type { RuntimePath } from '../../contract/words.ts';
import type { ContextConfig } from '../../store/context-block.ts';
import type { InvocationRow } from '../../store/invocations.ts';
import type { ReadTurn } from '../../store/reading-order.ts';
import type { SessionRow } from '../../store/sessions.ts';
import type { Tx } from '../../store/write-queue.ts';
import type { Caller } from '../caller.ts';

/** Fields that hooks share; each has those that its schema has. */
export interface Hook {
  harness: string;
  sessionKey?: string | undefined;
  /** Only beside a `sessionKey`: alone it is taken for that. */
  sessionId?: string | undefined;
  agentId?: string | undefined;
  harnessAgentId?: string | undefined;
  parentSessionKey?: string | undefined;
  parentHarnessAgentId?: string | undefined;
  childSessionKey?: string | undefined;
  project?: string | undefined;
  title?: string | undefined;
  at?: string | undefined;
  runtimePath?: RuntimePath | undefined;
  idempotencyKey?: string | undefined;
  transcript?: string | undefined;
  transcriptPath?: string | undefined;
  /** Its answer is wanted also where the transcript is refused. */
  transcriptOptional?: boolean | undefined;
  extra: Record<string, unknown> | null;
}

export interface Heard {
  tx: Tx;
  /** As it is now. */
  session: SessionRow;
  /** As it was before this hook; null where no hook of it had come. */
  before: SessionRow | null;
  at: string;
  config: () => ContextConfig;
  /** It came with a transcript that could be read. */
  hasTranscript: boolean;
  /** What is read last, where that transcript has brought it. */
  end: ReadTurn | null;
  /** Nobody reads its answer: it comes late, is refused for its transcript, or is of an agent that has ended. */
  isUnread: boolean;
  /** It was kept: what came after it may be known already. */
  isLate: boolean;
  /** It has a key or a time of its own: the same words under another one are said again. */
  isNamed: boolean;
  /** The first turn that it would have added, and found there. */
  found: number | null;
  /** What no hook knows, for the first turn that this one adds, or else finds. */
  takeExtra(): Record<string, unknown> | null;
}

export interface HookKind {
  name: OperationName;
  isStart?: boolean;
  isEnd?: boolean;
  isAboutSubagent?: boolean;
  /** Its transcript should be there by now: a path to none is a mistake. */
  needsTranscript?: boolean;
}

export interface About {
  sessionKey: string;
  rootSessionKey: string | null;
}

export interface Hearing<A> {
  asking: InvocationRow | null;
  agentId: string;
  about: About;
  caller: Caller;
  /** Its file is looked at each time; most hooks ask for nothing in it. */
  config: () => ContextConfig;
  kind: HookKind;
  hook: Hook;
  path: RuntimePath | null;
  /** The sub-agent that asked for this one, as its transcript says. */
  askedBy: string | null;
  effect: (heard: Heard) => A;
}
