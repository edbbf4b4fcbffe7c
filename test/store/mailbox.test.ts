import { expect, test } from '@jest/globals';
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
import { watchPlans } from './plans.ts';
import { withStore } from './store-fixture.ts';

test('callbacks that were read long ago cost no hook, no run and no deletion anything', () =>
  withStore(async ({ store }) => {
    await store.write((given) => {
      const plans = watchPlans(given.db);
      const tx = { ...given, db: plans.db };
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
      plans.look('DELETE FROM mailbox WHERE session_id = :id', { id: session.id });
      plans.look('DELETE FROM sessions WHERE id = :id', { id: session.id });
      expect(plans.looked()).toBeGreaterThan(15);
      expect(plans.scans).toEqual([]);
    });
  }));
