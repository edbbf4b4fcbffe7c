import { z } from 'zod';
import { limits } from '../contract/limits.ts';
import { operations } from '../contract/operations.ts';
import { withAliases } from '../contract/with-aliases.ts';
import { searchHitSchema, type SearchHit } from '../contract/search.ts';
import { inLine } from './frame.ts';
import { defineTool } from './tool.ts';

const asked = operations.searchSessions.input.out.shape;
/** An excerpt is no longer than this. */
const excerptCharsMax = 400;

export const sessionSearch = defineTool(
  {
    name: 'session_search',
    title: 'Search sessions',
    description: `Searches what was said in sessions, up to this moment. If you are a sub-agent it searches the session that asked for you, so use it to look up what your task does not tell you: decisions, names, paths, earlier results. Otherwise it searches the other sessions of your agent. Write the words that you expect to stand there; "a phrase", -without and begin* are understood. Returns excerpts, best first, each with its session and turn.`,
    input: withAliases(
      z.strictObject({
        query: asked.query,
        sessionKey: asked.sessionKey.describe(
          'Only this session. Leave it out to search the session that asked for you.',
        ),
        limit: z.number().int().min(1).max(limits.searchHitsMax).default(limits.searchHitsDefault),
      }),
    ),
    output: z.object({ hits: z.array(searchHitSchema), count: z.number().int() }),
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async (call, input) => {
    // A token says it by itself.
    const own = call.asker.kind === 'token' ? null : await call.ownSession();
    const { hits, count } = await call.client.call(
      'searchSessions',
      { ...input, ...(own !== null && { currentSessionKey: own }) },
      { signal: call.signal },
    );
    const text = [
      count === 0 ? 'Nothing was found. Try fewer or other words.' : `${count} found, best first:`,
      ...hits.map(hitText),
    ];
    return { structured: { hits, count }, text: text.join('\n') };
  },
);

function hitText({ sessionKey, turn, role, at, excerpt }: SearchHit): string {
  return `${inLine(sessionKey)}, turn ${turn}, ${role}, ${at}: ${inLine(excerpt, excerptCharsMax)}`;
}
