/** A store with an index beside it, and sessions that are filled by hand. */
import { join } from 'node:path';
import type { SearchHit, SearchScope } from '../../contract/search.ts';
import type { TurnRole } from '../../contract/words.ts';
import { createSearcher, type Searcher } from '../../search/searcher.ts';
import { findSession, insertSession, type SessionRow } from '../../store/sessions.ts';
import type { Store } from '../../store/index.ts';
import { appendTurn, appendTurns } from '../../store/turns.ts';
import { withStore } from '../store/store-fixture.ts';

export interface SearchFixture {
  store: Store;
  file: string;
  index: string;
  session(key: string, more?: { agentId?: string; project?: string }): Promise<SessionRow>;
  say(session: SessionRow, ...turns: (string | [TurnRole, string])[]): Promise<void>;
  /** The same words so often, each time with a number. */
  repeat(session: SessionRow, text: string, times: number): Promise<void>;
  /** Catches up first, as the thread does. */
  search(query: string, scope?: Partial<SearchScope>, limit?: number): SearchHit[];
  /** The same, one hit per session: their keys. */
  sessionsWith(query: string, scope?: Partial<SearchScope>, limit?: number): string[];
  excerpts(query: string, scope?: Partial<SearchScope>): string[];
  /** Closed and opened again, as a server does that is started anew; what is done between is up to the test. */
  reopen(between?: (doing: { close(): void; open(): void }) => void): void;
}

export function withSearch<T>(use: (fixture: SearchFixture) => Promise<T>): Promise<T> {
  return withStore(async ({ store, file, folder }) => {
    const index = join(folder, 'search.db');
    const open = () => createSearcher({ database: file, index });
    let searcher: Searcher = open();
    const ask = (bySession: boolean, query: string, scope: Partial<SearchScope>, limit: number) => {
      while (searcher.step());
      const whole = { agentId: 'default', project: null, sessionIds: null, rootId: null };
      const all = { ...whole, withoutId: null, ...scope };
      return searcher.search({ query, scope: all, limit, bySession });
    };
    const search: SearchFixture['search'] = (query, scope = {}, limit = 10) =>
      ask(false, query, scope, limit);
    try {
      return await use({
        store,
        file,
        index,
        session: (key, { agentId = 'default', project } = {}) =>
          store.write((tx) => {
            const known = findSession(tx.db, agentId, key);
            const fresh = { agentId, sessionKey: key, kind: 'external' as const, harness: null };
            return known ?? insertSession(tx, { ...fresh, project: project ?? null, title: null });
          }),
        say: (session, ...turns) =>
          store.write((tx) => {
            for (const turn of turns) {
              const [role, text] = typeof turn === 'string' ? (['user', turn] as const) : turn;
              appendTurn(tx, { sessionId: session.id, role, text });
            }
          }),
        repeat: (session, text, times) =>
          store.write((tx) => {
            const turns = Array.from({ length: times }, (_, n) => ({
              role: 'user' as const,
              text: `${text} ${n}`,
            }));
            appendTurns(tx, session.id, turns);
          }),
        search,
        sessionsWith: (query, scope = {}, limit = 10) =>
          ask(true, query, scope, limit).map(({ sessionKey }) => sessionKey),
        excerpts: (query, scope) => search(query, scope).map(({ excerpt }) => excerpt),
        reopen(between = ({ close, open: reopen }) => (close(), reopen())) {
          between({ close: () => searcher.close(), open: () => void (searcher = open()) });
        },
      });
    } finally {
      searcher.close();
    }
  });
}
