/** A parent and its callback child, played by `gated-programs.ts`. */
import { expect } from '@jest/globals';
import { endAsking } from './gated-programs.ts';
import type { Home } from './with-home.ts';

/** A parent that waits for its callback child, which runs. */
export async function family(home: Home): Promise<{ parent: string; child: string }> {
  const parent = await home.start({ prompt: 'parent' });
  // Asked for by its first turn's token; the row decides, not the moment.
  const child = await home.start(
    { prompt: 'leaf', executionMode: 'ASYNC_CALLBACK' },
    home.child(parent.id),
  );
  endAsking(parent);
  await home.untilStatus(parent.id, 'waiting');
  await home.untilLaunched(child.id);
  return { parent: parent.id, child: child.id };
}

export async function begun(home: Home, id: string): Promise<string> {
  await home.untilBegun(id);
  return id;
}

export async function expectToldOnce(home: Home, parent: string): Promise<void> {
  const told = (await home.turns(parent)).filter(({ role }) => role === 'callback');
  expect(told).toHaveLength(1);
  expect(await home.get(parent)).toMatchObject({
    status: 'completed',
    result: { content: 'told 1' },
  });
}
