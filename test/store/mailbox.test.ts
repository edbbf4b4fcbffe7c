import { expect, test } from '@jest/globals';
import type { Db } from '../../store/database.ts';
import {
  acknowledge,
  callbacksOf,
  keepForSession,
  settleHanded,
  waitingCallbacks,
} from '../../store/mailbox.ts';
import { markOffered, offerCallbacks, withdrawOffers } from '../../store/offers.ts';
import { sessionState } from '../../store/session-states.ts';
import { registerSession } from '../../store/sessions.ts';
import { withStore } from './store-fixture.ts';

/** What SQLite goes through from its beginning to its end to do this. */
const scansOf = (db: Db, sql: string, params: object) =>
  db
    .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params as never)
    .flatMap(({ detail }) => (all.test(detail) ? [sql] : []));
const all = /^(SCAN mailbox|SEARCH mailbox USING INTEGER PRIMARY KEY \(rowid>)/;

test('callbacks that were read long ago cost no hook, no run and no deletion anything', () =>
  withStore(async ({ store }) => {
    const scans: string[] = [];
    let looked = 0;
    const watched = (db: Db): Db => {
      const look = (sql: string, params: object = {}) => {
        if (!sql.includes('mailbox')) return;
        looked += 1;
        scans.push(...scansOf(db, sql, params));
      };
      return {
        ...db,
        get: (sql, params) => (look(sql, params), db.get(sql, params)),
        all: (sql, params) => (look(sql, params), db.all(sql, params)),
        run: (sql, params) => (look(sql, params), db.run(sql, params)),
      };
    };
    await store.write((given) => {
      const tx = { ...given, db: watched(given.db) };
      const names = { agentId: 'a', sessionKey: 's', harness: null, project: null, title: null };
      const session = registerSession(tx, names);
      waitingCallbacks(tx.db, session.id, 10);
      for (const state of ['open', 'all', 'queued'] as const) {
        callbacksOf(tx.db, session.id, { state, after: null });
      }
      settleHanded(tx, 'sub_1', 'queued');
      keepForSession(tx, session.id);
      acknowledge(tx, session.id, ['cb_1']);
      markOffered(tx, session, ['cb_1']);
      offerCallbacks(tx, session);
      withdrawOffers(tx, session);
      sessionState(tx.db, session, tx.now);
      for (const sql of [
        'DELETE FROM mailbox WHERE session_id = :id',
        'DELETE FROM sessions WHERE id = :id',
      ]) {
        scans.push(...scansOf(given.db, sql, { id: session.id }));
      }
    });
    expect(looked).toBeGreaterThan(12);
    expect(scans).toEqual([]);
  }));
