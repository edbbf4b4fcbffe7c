/** What can happen in a random life. Numbers pick among what is there at that moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { AppError } from '../../contract/errors.ts';
import { subAgentWorkflowId } from '../../contract/names.ts';
import { executionModes, isFinal, type ExecutionMode } from '../../contract/words.ts';
import type { InvocationRow } from '../../store/invocations.ts';
import type { Home } from './with-home.ts';

export type Deed =
  | {
      do: 'ask';
      of: 'nobody' | 'session' | number;
      runner: string;
      mode: ExecutionMode;
      ms: number;
    }
  | { do: 'send'; to: number; mode: ExecutionMode; ms: number }
  | { do: 'cancel' | 'cancel by hand' | 'terminate' | 'lose engine'; which: number }
  | { do: 'relink' | 'pause'; ms: number }
  | { do: 'reboot' };

const nth = fc.nat(11);
const ms = fc.constantFrom(0, 0, 100, 400, 1500);
const mode = fc.constantFrom<ExecutionMode>(...executionModes);
const act = <D extends Deed['do']>(name: D) => fc.constant(name);

/** What people and agents do. Of a life of these nothing is to be sent twice, or to wait for that. */
const requests: fc.WeightedArbitrary<Deed>[] = [
  {
    weight: 12,
    arbitrary: fc.record({
      do: act('ask'),
      // Mostly for somebody who is there already: else no tree would ever grow.
      of: fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom('nobody' as const, 'session' as const) },
        { weight: 3, arbitrary: nth },
      ),
      runner: fc.constantFrom('talk', 'talk', 'again', 'once'),
      mode,
      ms,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: act('send'), to: nth, mode, ms }) },
  { weight: 2, arbitrary: fc.record({ do: act('cancel'), which: nth }) },
  { weight: 2, arbitrary: fc.record({ do: act('pause'), ms: fc.constantFrom(0, 300) }) },
];

export const quietDeeds: fc.Arbitrary<Deed> = fc.oneof(...requests);

export const deeds: fc.Arbitrary<Deed> = fc.oneof(
  ...requests,
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel by hand' as const, 'terminate' as const),
      which: nth,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: act('relink'), ms: fc.constantFrom(0, 300) }) },
  { weight: 2, arbitrary: fc.record({ do: act('lose engine'), which: nth }) },
  { weight: 1, arbitrary: fc.record({ do: act('reboot') }) },
);

/** A refusal is an answer, and so is that nothing is there to do it to. */
export async function live(home: Home, key: string, deed: Deed): Promise<void> {
  try {
    await happen(home, key, deed);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

async function happen(home: Home, key: string, deed: Deed): Promise<void> {
  const rows = home.store.db.all<InvocationRow>('SELECT * FROM subagent_sessions ORDER BY ordinal');
  const pick = (n: number) => rows[n % rows.length];
  const open = rows.filter(({ status }) => !isFinal(status));
  const pickOpen = (n: number) => open[n % open.length];
  switch (deed.do) {
    case 'ask': {
      const by = typeof deed.of === 'number' ? pick(deed.of) : undefined;
      await home.start(
        {
          runnerId: deed.runner,
          prompt: `${deed.ms} ms`,
          executionMode: deed.mode,
          ...(deed.of === 'session' && { parentSessionId: key }),
        },
        by ? home.child(by.id) : home.admin,
      );
      return;
    }
    case 'send': {
      const to = pick(deed.to);
      const prompt = `${deed.ms} ms`;
      const input = { prompt, executionMode: deed.mode, waitSeconds: 0 };
      if (to) await home.ask('sendToSubagent', { id: to.id, ...input });
      return;
    }
    case 'cancel': {
      const row = pickOpen(deed.which);
      if (row) await home.ask('cancelSubagent', { id: row.id });
      return;
    }
    case 'cancel by hand':
    case 'terminate': {
      const row = pickOpen(deed.which);
      if (!row) return;
      const handle = home.client.workflow.getHandle(subAgentWorkflowId(row.id));
      // It may not have begun, or be over.
      await (deed.do === 'terminate' ? handle.terminate('by hand') : handle.cancel()).catch(
        () => null,
      );
      return;
    }
    case 'relink':
      return home.relink(deed.ms);
    case 'reboot':
      return home.reboot();
    case 'lose engine': {
      const row = pickOpen(deed.which);
      // What it does not have yet it cannot lose. Some begin late, whose workflow was ended by hand before.
      const hasBegun = () => !row || home.row(row.id).engine_state !== 'unstarted';
      for (let left = 40; left > 0 && !hasBegun(); left -= 1) await sleep(50);
      return home.loseEngine();
    }
    case 'pause':
      await sleep(deed.ms);
  }
}
