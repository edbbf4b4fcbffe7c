/**
 * How many times as long four times the size takes, of this process's own time: another may have the machine. The
 * best of some, as anything may be collected or compiled meanwhile.
 */
export function growth(make: (size: number) => () => unknown, size: number): number {
  const [small, large] = [cpuTime(make(size)), cpuTime(make(4 * size))];
  return large / small;
}

/** What compares each with each takes sixteen times as long; what does not, some four, and more where caches end. */
export const notNearly16 = 11;

const TRIES = 3;

/** For what is compared with what something else takes. */
export function cpuTime(run: () => unknown): number {
  const took = Array.from({ length: TRIES }, () => {
    const from = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(from);
    return user + system;
  });
  return Math.min(...took);
}
