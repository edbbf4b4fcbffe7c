import type { Figure } from './figure.ts';

/** How one row is measured. Each starts a stack of its own, so that none inherits another's load. */
export interface Row {
  /** By which it is asked for on the command line. */
  name: string;
  measure(setting: Setting): Promise<Figure[]>;
}

export interface Setting {
  /** Few rounds, to see that a row works; its figures mean nothing. */
  quick: boolean;
  /** The bare workflows, bundled once. */
  bundle: string;
}
