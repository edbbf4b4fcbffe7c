/** Both sides take turns, and who goes first does too: one that always led would look 10 % better. */
export async function alternate<A, B>(
  { rounds, warmUp }: { rounds: number; warmUp: number },
  ours: () => Promise<A>,
  floor: () => Promise<B>,
  /** What both sides are given, made anew for each round. */
  prepare: () => Promise<void> = async () => {},
): Promise<{ ours: A[]; floor: B[] }> {
  const taken: { ours: A[]; floor: B[] } = { ours: [], floor: [] };
  for (let round = -warmUp; round < rounds; round += 1) {
    await prepare();
    const isOursFirst = round % 2 === 0;
    const before = isOursFirst ? null : await floor();
    const mine = await ours();
    const base = before ?? (await floor());
    if (round < 0) continue;
    taken.ours.push(mine);
    taken.floor.push(base);
  }
  return taken;
}

/** Milliseconds that the work took. What is to be waited for and not counted belongs outside. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
