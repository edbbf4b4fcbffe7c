/** What is counted and how, in memory: numbers that a scrape reads and nothing waits for. */

export type Labels = Record<string, string>;

export interface Sample {
  labels: Labels;
  value: number;
}

export interface Distribution {
  labels: Labels;
  /** How many were at most `bounds[i]` and above the bound before it; the last are above all bounds. */
  counts: number[];
  sum: number;
}

/** One metric with all its series, as both Prometheus and OpenTelemetry know it. */
export type Family = { name: string; help: string } & (
  | { type: 'counter' | 'gauge'; samples: Sample[] }
  | { type: 'histogram'; bounds: readonly number[]; samples: Distribution[] }
);

export interface Counter {
  add(labels: Labels, by?: number): void;
  read(): Family;
}

/** Labels are from closed lists, so the number of series has an end. */
export function createCounter(name: string, help: string): Counter {
  const series = createSeries((labels) => ({ labels, value: 0 }));
  return {
    add: (labels, by = 1) => void (series.of(labels).value += by),
    read: () => ({ name, help, type: 'counter', samples: series.all() }),
  };
}

export interface Histogram {
  observe(labels: Labels, value: number): void;
  read(): Family;
}

export function createHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const series = createSeries<Distribution>((labels) => ({
    labels,
    counts: [...bounds, Infinity].map(() => 0),
    sum: 0,
  }));
  return {
    observe(labels, value) {
      const one = series.of(labels);
      const above = bounds.findIndex((bound) => value <= bound);
      one.counts[above === -1 ? bounds.length : above]! += 1;
      one.sum += value;
    },
    read: () => ({ name, help, type: 'histogram', bounds, samples: series.all() }),
  };
}

export function gauge(name: string, help: string, samples: Sample[] | number): Family {
  const read = typeof samples === 'number' ? [{ labels: {}, value: samples }] : samples;
  return { name, help, type: 'gauge', samples: read };
}

function createSeries<T>(make: (labels: Labels) => T) {
  const known = new Map<string, T>();
  return {
    of(labels: Labels): T {
      const key = JSON.stringify(labels);
      const one = known.get(key) ?? make(labels);
      known.set(key, one);
      return one;
    },
    all: () => [...known.values()],
  };
}
