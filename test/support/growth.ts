/** How many times as long four times the size takes: the best of some, as another process may have the machine. */
export function growth(make: (size: number) => () => unknown, size: number): number {
  const [small, large] = [best(make(size)), best(make(4 * size))];
  return large / small;
}

const TRIES = 3;

function best(run: () => unknown): number {
  const took = Array.from({ length: TRIES }, () => {
    const from = performance.now();
    run();
    return performance.now() - from;
  });
  return Math.min(...took);
}
