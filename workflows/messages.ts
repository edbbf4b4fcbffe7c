/** Messages. A poke carries nothing: it says that the store has something new to say. */
import { defineSignal, setHandler } from '@temporalio/workflow';

const pokeSignal = defineSignal('poke');

/** Signals do not count towards Temporal's own advice to roll over, though they are limited. */
const pokesMax = 2000;

export interface Pokes {
  /** Something has come since the last `forget`. */
  have: () => boolean;
  /** From here on only what comes next counts: the store is about to be asked. */
  forget: () => void;
  /** The workflow's own poke, when something of its own has ended. */
  add: () => void;
  /** So many came from outside that the workflow should continue as new. */
  areTooMany: () => boolean;
}

/** To be called first of all: what was sent before the workflow began must not find nobody listening. */
export function receivePokes(): Pokes {
  let isPoked = false;
  let count = 0;
  const add = () => {
    isPoked = true;
  };
  const receive = () => {
    count += 1;
    add();
  };
  setHandler(pokeSignal, receive, { description: 'Ask the store what is next' });
  return {
    have: () => isPoked,
    forget: () => {
      isPoked = false;
    },
    add,
    areTooMany: () => count > pokesMax,
  };
}
