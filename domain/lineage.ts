/** By which rule the parent of a session is found that an agent program reports. */
import { createHash } from 'node:crypto';
import { limits } from '../contract/limits.ts';
import type { LineageRule } from '../contract/words.ts';

/** What an event says about where its session comes from. All of it is a hint, none of it a scope. */
export interface LineageHints {
  /** Named outright: `parentSessionKey`, and OpenCode's `parentID`. */
  parentSessionKey?: string | null;
  /** The session of the invocation in whose process the program runs. */
  spawnedBy?: string | null;
  /** The session under whose id a program reports its sub-agents: Claude Code and Codex. */
  rootSessionKey?: string | null;
  /** The program's own id of the sub-agent. */
  harnessAgentId?: string | null;
  /** The program's own id of the sub-agent that asked for this one; Copilot's `parentAgentId`. */
  parentAgentId?: string | null;
  /** Whether the session begins with this event: only then is a parent guessed by recency. */
  isStart?: boolean;
}

export interface Reported {
  sessionKey: string;
  /** By its canonical name. */
  harness: string | null;
  project: string | null;
}

/** Where to look for a parent: a session with this key, or the one that was active last. */
export type ParentGuess =
  | { rule: Exclude<LineageRule, 'recency'>; sessionKey: string }
  | { rule: 'recency'; harness: string; project: string };

/**
 * The first of these that is there is the parent. A parent that was named and is not there is nobody: then nothing
 * is guessed, and who is known to have started it stands.
 */
export function parentGuesses(session: Reported, hints: LineageHints): ParentGuess[] {
  return guess(session, hints).filter(
    (one) => one.rule === 'recency' || one.sessionKey !== session.sessionKey,
  );
}

/**
 * What is said more surely later takes the place of what was known: a guess gives way to all, where a key puts a sub-agent
 * to who is named, and that it is somewhere in a session to who asked for it there. Nothing else is ever moved.
 */
export const givesWay = (known: LineageRule, said: LineageRule): boolean =>
  surer[known]?.includes(said) ?? false;

const surer: Partial<Record<LineageRule, readonly LineageRule[]>> = {
  recency: ['explicit', 'spawned', 'parent_agent', 'subagent_start', 'key_shape'],
  key_shape: ['explicit', 'parent_agent', 'subagent_start'],
  subagent_start: ['parent_agent'],
};

function guess({ sessionKey, harness, project }: Reported, hints: LineageHints): ParentGuess[] {
  const root = hints.rootSessionKey ?? null;
  // A program that we run may have sub-agents of its own: they stand below its session, not beside it.
  const spawned: ParentGuess[] =
    hints.spawnedBy && root === null && !hints.parentAgentId
      ? [{ rule: 'spawned', sessionKey: hints.spawnedBy }]
      : [];
  // One that names what has started it says no more than is known: it is what we have spawned all the same.
  const isNamedTwice = spawned.length > 0 && hints.parentSessionKey === hints.spawnedBy;
  if (hints.parentSessionKey && !isNamedTwice) {
    return [{ rule: 'explicit', sessionKey: hints.parentSessionKey }, ...spawned];
  }
  const above = keyAbove(sessionKey);
  const byKey: ParentGuess[] = above === null ? [] : [{ rule: 'key_shape', sessionKey: above }];
  if (spawned.length > 0) return [...byKey, ...spawned];
  const asking = hints.parentAgentId
    ? [
        {
          rule: 'parent_agent',
          sessionKey: subagentKey(harness, root ?? hints.parentAgentId, hints.parentAgentId),
        } as const,
      ]
    : [];
  if (root !== null) return [...asking, { rule: 'subagent_start', sessionKey: root }];
  if (asking.length > 0) return asking;
  if (byKey.length > 0) return byKey;
  const isSubagent = harness === 'claude-code' && !!hints.harnessAgentId;
  return isSubagent && hints.isStart && project !== null
    ? [{ rule: 'recency', harness, project }]
    : [];
}

/**
 * The session key of a sub-agent that its program reports under the root's session id. Copilot gives
 * its sub-agents session ids of their own, and these are their agent ids.
 */
export function subagentKey(
  harness: string | null,
  rootSessionKey: string,
  harnessAgentId: string,
): string {
  if (harness === 'copilot-cli' || harnessAgentId === rootSessionKey) return harnessAgentId;
  const key = `${rootSessionKey}:${harnessAgentId}`;
  const fits = key.length <= limits.keyCharsMax && Buffer.byteLength(key) <= limits.keyBytesMax;
  return fits ? key : `subagent:${createHash('sha256').update(key).digest('hex')}`;
}

/** OpenClaw's keys say where they come from: `agent:{id}:subagent:{uuid}`, one level for each `subagent`. */
export function keyAbove(sessionKey: string): string | null {
  const [, above, agent] = /^((agent:[^:]+)(?::.+)?):subagent:[^:]+$/.exec(sessionKey) ?? [];
  if (above === undefined) return null;
  return above === agent ? `${agent}:main` : above;
}
