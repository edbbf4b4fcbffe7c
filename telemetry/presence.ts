/** Counts those who are there now. */
export interface Presence {
  count(): number;
  /** Answers how to leave; leaving twice is leaving once. */
  enter(): () => void;
  /** One who is there for as long as the items are read. */
  during<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined>;
}

export function createPresence(): Presence {
  const present = new Set<symbol>();
  function enter(): () => void {
    const one = Symbol('present');
    present.add(one);
    return () => void present.delete(one);
  }
  return {
    count: () => present.size,
    enter,
    async *during(items) {
      const leave = enter();
      try {
        yield* items;
      } finally {
        leave();
      }
    },
  };
}
