import { z } from 'zod';
import { wellFormed } from './well-formed.ts';

/** What was said is kept, also where it was cut in the middle of a character: as the store holds it. */
export const wordsSchema = z.string().overwrite(wellFormed);
