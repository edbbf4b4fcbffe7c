/** What a search asks for and finds, as the server and its search thread say it to each other. */
import { z } from 'zod';
import { limits } from './limits.ts';
import { placeSchema } from './transcripts.ts';
import { turnRoleSchema } from './words.ts';

export const searchHitSchema = z.object({
  sessionKey: z.string(),
  project: z.string().nullable(),
  updatedAt: z.iso.datetime().describe('When the session last changed'),
  excerpt: z.string().describe('Of the turn, around the rarest words; … stands where it is cut'),
  rank: z.number().describe('Negative; lower is better'),
  seq: z.number().int().describe('The number of the turn, as transcripts have it'),
  place: placeSchema,
  turn: z
    .number()
    .int()
    .describe(
      'Which turn of its session this is as they came, from 1; marks are not counted. A compaction’s summary, of role `mark`, has the number of the turn before it',
    ),
  role: turnRoleSchema,
  at: z.iso.datetime(),
  offsets: z
    .array(z.object({ start: z.number().int(), end: z.number().int() }))
    .describe(
      `Where words of the query stand in the turn, in UTF-16 code units; ${limits.searchOffsetsMax} at most. Behind its text come the names and texts of its tools, a line each`,
    ),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

export const searchAnswerSchema = z.object({
  query: z.string(),
  hits: z.array(searchHitSchema),
  count: z.number().int(),
});

/** Whose turns are looked at. Ids are the store's own. */
export interface SearchScope {
  agentId: string;
  project: string | null;
  /** Only these sessions; null for all. */
  sessionIds: number[] | null;
  /** This session and all below it; null for all. */
  rootId: number | null;
  withoutId: number | null;
}

export interface SearchRequest {
  query: string;
  scope: SearchScope;
  limit: number;
  /** One hit per session, its best. */
  bySession: boolean;
}

export type Search = (request: SearchRequest) => Promise<SearchHit[]>;
