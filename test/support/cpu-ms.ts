/** What a piece of work costs, to be compared with what another costs: never with a number, as no two machines are alike. */

/** The least of three times: time of this process alone, and without what was compiled or collected meanwhile. */
export function cpuMs(work: () => unknown): number {
  const costs = [1, 2, 3].map(() => {
    const from = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1000;
  });
  return Math.min(...costs);
}
