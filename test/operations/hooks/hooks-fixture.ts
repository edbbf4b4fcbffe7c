/** Hooks on a real store, told as a program tells them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type {
  OperationInput,
  OperationName,
  OperationOutput,
} from '../../../contract/operations.ts';
import type { RuntimePath } from '../../../contract/words.ts';
import { everyTurn, lastTurns } from '../../../store/reading-order.ts';
import { findSession, type SessionRow } from '../../../store/sessions.ts';
import { callerAs, withOperations, type Room } from '../operations-fixture.ts';

export interface HookRoom extends Room {
  /** As the administrator, over the given runtime path. */
  over(path: RuntimePath | null): ReturnType<typeof callerAs>;
  session(key: string, agentId?: string): SessionRow | undefined;
  /** What was said, as it is read: `user: hello`. */
  said(key: string, agentId?: string): string[];
  /** All turns as they came, marks included. */
  all(key: string, agentId?: string): string[];
  /** A transcript below an allowed folder; answers its path. */
  stage(name: string, content: string): string;
  prompt(
    key: string,
    userMessage: string,
    more?: Record<string, unknown>,
  ): Promise<OperationOutput<'hookUserPromptSubmit'>>;
  report(key: string, transcript: string, more?: Record<string, unknown>): Promise<unknown>;
}

export function withHooks<T>(use: (room: HookRoom) => Promise<T>): Promise<T> {
  return withOperations(async (room) => {
    const { db } = room.store;
    const session = (key: string, agentId = 'default') => findSession(db, agentId, key);
    const turns = (key: string, agentId?: string) => {
      const found = session(key, agentId);
      return found === undefined ? [] : lastTurns(db, found.id, everyTurn);
    };
    const hookRoom: HookRoom = {
      ...room,
      over: (runtimePath) => callerAs({ claims: { role: 'admin' }, runtimePath }),
      session,
      said: (key, agentId) =>
        turns(key, agentId)
          .filter((turn) => turn.role !== 'mark' && turn.text.trim() !== '')
          .map((turn) => `${turn.role}: ${turn.text}`),
      all: (key, agentId) =>
        db
          .all<{ role: string; text: string }>(
            'SELECT role, text FROM turns WHERE session_id = :id ORDER BY seq',
            { id: session(key, agentId)?.id ?? 0 },
          )
          .map((turn) => `${turn.role}: ${turn.text}`),
      stage(name, content) {
        const path = join(room.home, 'staging', name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, content);
        return path;
      },
      prompt: (sessionKey, userMessage, more) =>
        room.ask('hookUserPromptSubmit', {
          harness: 'claude-code',
          sessionKey,
          userMessage,
          ...more,
        }),
      report: (sessionKey, transcript, more) =>
        room.ask('hookSessionCheckpointExtract', {
          harness: 'claude-code',
          sessionKey,
          transcript,
          ...more,
        }),
    };
    return use(hookRoom);
  });
}

/** Every hook with the least that it takes. */
export const everyHook: { [N in Extract<OperationName, `hook${string}`>]: OperationInput<N> } = {
  hookSessionStart: { harness: 'claude-code', sessionKey: 's1' },
  hookUserPromptSubmit: { harness: 'claude-code', sessionKey: 's1', userMessage: 'hello' },
  hookSessionEnd: { harness: 'claude-code', sessionKey: 's1' },
  hookPreCompaction: { harness: 'claude-code', sessionKey: 's1' },
  hookCompactionComplete: { harness: 'claude-code', sessionKey: 's1', summary: 'so far' },
  hookSessionCheckpointExtract: { harness: 'claude-code', sessionKey: 's1' },
  hookSubagentStart: { harness: 'claude-code', sessionKey: 's1', harnessAgentId: 'a1' },
  hookSubagentStop: { harness: 'claude-code', sessionKey: 's1', harnessAgentId: 'a1' },
  hookStop: { harness: 'claude-code', sessionKey: 's1' },
};
export const hookNames = Object.keys(everyHook) as (keyof typeof everyHook)[];

/** As Claude Code writes it, a line for each. */
export const line = (role: 'user' | 'assistant', text: string, more: object = {}) =>
  `${JSON.stringify({ type: role, message: { role, content: text }, ...more })}\n`;
