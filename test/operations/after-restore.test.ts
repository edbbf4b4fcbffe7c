/** What becomes of a store that was put back from a copy: nothing that was open may pass for open. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { operations } from '../../contract/operations.ts';
import { handlers } from '../../operations/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import { reconcileEpoch } from '../../store/lifecycle/rebuild.ts';
import { backupTakenAt, readMeta } from '../../store/meta.ts';
import { findInvocation } from '../../store/invocations.ts';
import { wordsOf } from '../../store/words.ts';
import { createHost } from './test-host.ts';
import { refusal, withOperations, type Room } from './operations-fixture.ts';

/** The room's store as it is when this is called, put back later in its place. */
async function restoredFrom(
  room: Room,
  since: () => Promise<void>,
  use: (restored: Room) => Promise<void>,
): Promise<void> {
  const { file } = await room.deps.backups.take(null);
  await since();
  const copy = `${room.home}/restored.db`;
  rmSync(copy, { force: true });
  copyFileSync(file, copy);
  const store = openStore(copy, { clock: room.clock.now, checkpoints: false });
  const deps = { ...room.deps, store };
  try {
    await use({ ...room, store, deps, host: createHost(deps) } as Room);
  } finally {
    await store.close();
  }
}

const ending = (store: Store, id: string) => {
  const { status, error_code: code, error } = findInvocation(store.db, id)!;
  return { status, code, error };
};
const unknown = {
  status: 'failed',
  code: 'outcome_unknown',
  error: expect.stringMatching(/^restored from a backup of \d{4}-.*: what became of it/),
};

test('what had ended keeps its ending; what was open ends as unknown, unless it may be repeated', async () => {
  await withOperations(async (room) => {
    const done = await room.start();
    await room.host.play(done.id, 'the answer');
    const running = await room.start();
    await room.host.claim(running.id);
    const again = await room.start({ runnerId: 'again' });
    await room.host.claim(again.id);
    const pending = await room.start();
    const session = await room.ask('registerSession', { key: 'mine' });
    const told = await room.start({
      executionMode: 'ASYNC_CALLBACK',
      parentSessionId: session.sessionKey,
    });
    let lost = '';
    const since = async () => {
      lost = (await room.start()).id;
      await room.host.play(pending.id, 'it ran once');
    };
    await restoredFrom(room, since, async ({ store }) => {
      expect(ending(store, done.id)).toMatchObject({ status: 'completed', code: null });
      expect(wordsOf(store.db, done.id)!.result_content).toBe('the answer');
      for (const { id } of [running, pending, told]) expect(ending(store, id)).toEqual(unknown);
      expect(ending(store, again.id)).toMatchObject({ status: 'running', code: null });
      expect(findInvocation(store.db, lost)).toBeUndefined();
      // The end is told, once, as every end is.
      const mail = store.db.all('SELECT invocation_id, state FROM mailbox');
      expect(mail).toEqual([{ invocation_id: told.id, state: 'queued' }]);
    });
  });
});

test('children end for their own reason, before their parents, and nothing is run again', async () => {
  await withOperations(async (room) => {
    const parent = await room.start();
    await room.host.claim(parent.id);
    const child = await room.start({ executionMode: 'ASYNC_CALLBACK' }, room.child(parent.id));
    await room.host.claim(child.id);
    const repeatable = await room.start(
      { executionMode: 'ASYNC_POLL', runnerId: 'again' },
      room.child(parent.id),
    );
    const waiting = await room.start({ executionMode: 'ASYNC_POLL' }, room.child(parent.id));
    await restoredFrom(
      room,
      async () => {},
      async ({ store, host }) => {
        for (const { id } of [parent, child, waiting]) expect(ending(store, id)).toEqual(unknown);
        expect(ending(store, repeatable.id)).toMatchObject({ code: 'parent_ended' });
        expect(store.db.all('SELECT state FROM mailbox')).toEqual([{ state: 'undelivered' }]);
        for (const { id } of [parent, child, repeatable]) {
          await host.hello();
          expect(await host.tryClaim(id)).toMatchObject({ kind: 'nothing' });
        }
      },
    );
  });
});

test('it happens once: what is accepted after it stays open over the next start', async () => {
  await withOperations(async (room) => {
    await restoredFrom(
      room,
      async () => {},
      async ({ store, deps }) => {
        const fresh = await handlers.runSubagent(
          deps,
          room.admin,
          operations.runSubagent.input.parse({
            runnerId: 'talk',
            prompt: 'new',
            executionMode: 'ASYNC_POLL',
          }),
        );
        expect(readMeta(store.db, backupTakenAt)).toBeNull();
        const again = openStore(`${room.home}/restored.db`, { checkpoints: false });
        expect(findInvocation(again.db, fresh.id)).toMatchObject({ status: 'pending' });
        await again.close();
      },
    );
  });
});

test('all that is left open is sent to the engine again, although the engine is the same', async () => {
  await withOperations(async (room) => {
    await room.store.write((tx) => reconcileEpoch(tx, 'engine-1'));
    const again = await room.start({ runnerId: 'again' });
    await room.start();
    await room.store.write((tx) => tx.db.run('DELETE FROM outbox'));
    await restoredFrom(
      room,
      async () => {},
      async ({ store }) => {
        expect(await store.write((tx) => reconcileEpoch(tx, 'engine-1'))).toBe(1);
        expect(store.db.all('SELECT kind, child_invocation_id AS child FROM outbox')).toEqual([
          { kind: 'start', child: again.id },
        ]);
        expect(await store.write((tx) => reconcileEpoch(tx, 'engine-1'))).toBe(0);
      },
    );
  });
});

test('a host that lived through it ends runs that the store does not know, and their reports change nothing', async () => {
  await withOperations(async (room) => {
    const known = await room.start();
    const run = await room.host.claim(known.id);
    let lost = { invocationId: '', runNo: 1 };
    const since = async () => {
      const unknownOne = await room.start();
      const { invocationId, runNo } = await room.host.claim(unknownOne.id);
      lost = { invocationId, runNo };
    };
    await restoredFrom(room, since, async ({ store, host }) => {
      const { stop } = await host.sync(
        [run, lost].map(({ invocationId, runNo }) => ({ invocationId, runNo })),
      );
      expect(stop).toEqual([
        { invocationId: known.id, runNo: 1, reason: 'not_yours' },
        { ...lost, reason: 'not_yours' },
      ]);
      expect(await refusal(host.end(lost, 'an answer of the time that is lost'))).toBe(
        'stale_claim',
      );
      expect(await host.end(run, 'late')).toMatchObject({ held: false, status: 'failed' });
      expect(ending(store, known.id)).toEqual(unknown);
      const late = store.db.all('SELECT text, late FROM turns WHERE late = 1');
      expect(late).toEqual([{ text: 'late outcome (succeeded): late', late: 1 }]);
      expect(store.db.all(`SELECT 1 FROM runs WHERE state = 'live'`)).toEqual([]);
    });
  });
});

test('a run that may be repeated is lost with the boot that had it, and begins again', async () => {
  await withOperations(async (room) => {
    const again = await room.start({ runnerId: 'again' });
    await room.host.claim(again.id);
    await restoredFrom(
      room,
      async () => {},
      async ({ store, deps }) => {
        const next = createHost(deps, 'local', 'boot-2');
        await next.hello();
        const run = await next.claim(again.id);
        expect(run).toMatchObject({ runNo: 2 });
        await next.end(run, 'at last');
        expect(ending(store, again.id)).toMatchObject({ status: 'completed' });
      },
    );
  });
});

describe('a copy that nobody marked', () => {
  /** The room's store as a server would open it, after `before`, in a home that counts. */
  async function inHome(
    use: (home: {
      room: Room;
      file: string;
      openings: string;
      /** What becomes of this invocation at the next start. */
      next(id: string): Promise<ReturnType<typeof ending>>;
    }) => Promise<void>,
  ): Promise<void> {
    await withOperations(async (room) => {
      const file = `${room.home}/own/main.db`;
      const openings = `${room.home}/own/openings`;
      mkdirSync(`${room.home}/own`);
      const next = async (id: string) => {
        const store = openStore(file, { clock: room.clock.now, checkpoints: false, openings });
        const found = ending(store, id);
        await store.close();
        return found;
      };
      await use({ room, file, openings, next });
    });
  }
  const open = { status: 'pending', code: null, error: null };

  test('is known by the starts that it has missed: what was open ends as unknown, unless it may be repeated', async () => {
    await inHome(async ({ room, file, openings, next }) => {
      const [pending, again] = [await room.start(), await room.start({ runnerId: 'again' })];
      room.store.db.run('VACUUM INTO :file', { file });
      // An Offshoot that did not count has left it so.
      expect(await next(pending.id)).toEqual(open);
      expect(await next(pending.id)).toEqual(open);
      copyFileSync(file, `${file}.copy`);
      // Put back before anything has run on it, it is the one that ran last.
      copyFileSync(`${file}.copy`, file);
      expect(await next(pending.id)).toEqual(open);
      copyFileSync(`${file}.copy`, file);
      expect(await next(pending.id)).toEqual({
        status: 'failed',
        code: 'outcome_unknown',
        error: expect.stringContaining('a copy that knows 2 of the 3 starts of its server'),
      });
      expect(await next(again.id)).toEqual(open);
      expect(readFileSync(openings, 'utf8')).toBe('5\n');
    });
  });

  test.each<[string, (openings: string) => void]>([
    ['where nobody has counted', (openings) => rmSync(openings)],
    ['where a kill came before the file was written', (openings) => writeFileSync(openings, '1\n')],
    ['where the file says nothing', (openings) => writeFileSync(openings, '')],
  ])('and that has missed nothing is the one that ran last, also %s', async (_, deed) => {
    await inHome(async ({ room, file, openings, next }) => {
      const pending = await room.start();
      room.store.db.run('VACUUM INTO :file', { file });
      await next(pending.id);
      await next(pending.id);
      deed(openings);
      expect(await next(pending.id)).toEqual(open);
      expect(readFileSync(openings, 'utf8')).toBe('3\n');
    });
  });

  test('and that is a backup says when it was taken, and is counted on from what the home knows', async () => {
    await inHome(async ({ room, file, openings, next }) => {
      const pending = await room.start();
      copyFileSync((await room.deps.backups.take(null)).file, file);
      writeFileSync(openings, '7\n');
      expect(await next(pending.id)).toEqual(unknown);
      expect(readFileSync(openings, 'utf8')).toBe('8\n');
      const store = openStore(file, { checkpoints: false });
      expect(readMeta(store.db, 'openings')).toBe('8');
      await store.close();
    });
  });
});
