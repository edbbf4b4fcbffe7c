/** Messages. A poke carries nothing: it says that the store has something new to say. */
import { defineSignal } from '@temporalio/workflow';

export const pokeSignal = defineSignal('poke');
