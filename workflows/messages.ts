/** Messages. A poke carries nothing: it says that the store has something new to say. */
import { defineSignal } from '@temporalio/workflow';

export const pokeSignal = defineSignal('poke');

/** Signals do not count towards Temporal's own advice to roll over, though they are limited. */
export const pokesMax = 2000;
