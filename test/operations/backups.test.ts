import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { handlers } from '../../operations/index.ts';
import { refusal, withOperations } from './operations-fixture.ts';

test('the administrator may copy and check the store; an agent may not', async () => {
  await withOperations(async ({ deps, admin, child, start, host, home }) => {
    const { id } = await start();
    await host.claim(id);
    const to = join(home, 'copy.db');
    expect(await refusal(handlers.takeBackup(deps, child(id), { to }))).toBe('forbidden');
    expect(await refusal(handlers.checkStore(deps, child(id), {}))).toBe('forbidden');
    expect(existsSync(to)).toBe(false);
    expect(await handlers.takeBackup(deps, admin, { to })).toMatchObject({ file: to });
    expect(existsSync(to)).toBe(true);
  });
});

test('a check tells of claims on a host that is silent, and of the outbox', async () => {
  await withOperations(async ({ deps, admin, start, host, clock, store }) => {
    const { id } = await start();
    await host.claim(id);
    const sound = await handlers.checkStore(deps, admin, {});
    expect(sound).toMatchObject({ problems: [], staleClaims: [], outbox: { rows: 1 } });
    expect(sound.schema).toBe(sound.knownSchema);
    clock.advance(60_000);
    const later = await handlers.checkStore(deps, admin, {});
    expect(later.staleClaims).toEqual([{ invocationId: id, runNo: 1, hostId: 'local' }]);
    clock.advance(-3_600_000);
    const back = await handlers.checkStore(deps, admin, {});
    expect(back.newestAt! > store.now()).toBe(true);
  });
});
