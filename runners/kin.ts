/**
 * Who belongs to a run, told from one look at the machine to the next.
 *
 * Marked processes do, those known by pid and start, all below either, and the groups these lead. What
 * was found once stays known when it loses its parent. A program that sets a long title writes it over
 * its environment: then there is no marker any more, and only the tree tells.
 */
import type { ProcessId } from '../engine/process-identity.ts';
import type { ProcessEntry } from './processes.ts';

export interface KinOptions {
  /** Whole markers, or parts that end in `/`: run 1 must not end run 10. */
  markers: string[];
  /** Processes that belong to it, if they still are the same. */
  known?: Iterable<ProcessId>;
  /** A group that its leader, a process of the run, may have left behind just now. */
  group?: number;
}

export class Kin {
  readonly #markers: string[];
  /** The start of each by its pid. */
  readonly #known: Map<number, string>;
  #groups: Set<number>;

  constructor({ markers, known = [], group }: KinOptions) {
    this.#markers = markers;
    this.#known = new Map([...known].map(({ pid, start }) => [pid, start]));
    this.#groups = new Set(group === undefined ? [] : [group]);
  }

  /** The pids of those that belong to it now. */
  find(entries: ProcessEntry[]): number[] {
    const living = new Set(entries.map(({ pid }) => pid));
    const found = new Set<number>();
    const isOurs = (entry: ProcessEntry) =>
      this.#isKnown(entry) ||
      found.has(entry.parentPid) ||
      // A number is not given away while its group lasts: a stranger with it leads another group.
      (this.#groups.has(entry.group) && (!living.has(entry.group) || found.has(entry.group)));
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const entry of entries.filter(mayBeEnded)) {
        if (!isOurs(entry)) continue;
        found.add(entry.pid);
        if (entry.group === entry.pid) this.#groups.add(entry.group);
      }
    }
    const mine = entries.filter(({ pid }) => found.has(pid));
    for (const { pid, start } of mine) this.#known.set(pid, start);
    const groups = this.#groups;
    this.#groups = new Set(mine.map(({ group }) => group).filter((group) => groups.has(group)));
    return mine.map(({ pid }) => pid);
  }

  #isKnown({ pid, start, marker }: ProcessEntry): boolean {
    if (this.#known.get(pid) === start) return true;
    return marker !== null && this.#markers.some((one) => isMarked(marker, one));
  }
}

const mayBeEnded = ({ pid }: ProcessEntry) => pid > 1 && pid !== process.pid;

function isMarked(marker: string, wanted: string): boolean {
  return marker === wanted || (wanted.endsWith('/') && marker.startsWith(wanted));
}
