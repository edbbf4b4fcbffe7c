import { expect, test } from '@jest/globals';
import { expire, hasExpirable } from '../../store/lifecycle/expire.ts';
import { watchPlans } from './plans.ts';
import { withStore } from './store-fixture.ts';

test('what is looked for each second is looked for among what is under way, not in all that ever was', () =>
  withStore(({ store }) =>
    store.write((given) => {
      const plans = watchPlans(given.db);
      const tx = { ...given, db: plans.db };
      hasExpirable(tx);
      expire(tx, { hostWaitMs: 1000, leaseMs: 1000, stopMs: 1000 });
      expect(plans.looked()).toBeGreaterThan(8);
      expect(plans.scans).toEqual([]);
    }),
  ));
