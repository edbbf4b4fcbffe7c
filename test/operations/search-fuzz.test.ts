/** Odd queries with odd fields, by whoever has a token: each is answered with the asker's own, or refused. */
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { AppError } from '../../contract/errors.ts';
import { operations } from '../../contract/operations.ts';
import { registerSession } from '../../store/sessions.ts';
import { insertLineage } from '../../store/lineage.ts';
import { appendTurns } from '../../store/turns.ts';
import { oddQueries } from '../search/fuzz-queries.ts';
import { callerAs, withOperations, type Room } from './operations-fixture.ts';

const agents = ['alice', 'bob'] as const;
const projects = ['/one', '/two'] as const;
const said = ['trunk ports', 'getUserById in foo/bar.ts', '東京都 café', 'the alpha beta'];

/** Of each agent a session and a child in either project, and one whose key both have. */
async function settle({ store }: Room): Promise<string[]> {
  const keys = agents.flatMap((agent) => projects.map((project) => `agent:${agent}:${project}`));
  await store.write((tx) => {
    for (const agentId of agents) {
      const tell = (sessionKey: string, project: string | null) => {
        const names = { agentId, sessionKey, harness: null, title: null, project };
        const row = registerSession(tx, names);
        const turns = said.map((text) => ({
          role: 'user' as const,
          text: `${text} of ${agentId}`,
        }));
        appendTurns(tx, row.id, turns);
        return row;
      };
      tell('both', null);
      for (const project of projects) {
        const root = tell(`agent:${agentId}:${project}`, project);
        const child = tell(`agent:${agentId}:${project}:subagent:x`, project);
        insertLineage(tx, child, root, 'explicit');
      }
    }
  });
  return ['both', 'nobody', ...keys, ...keys.map((key) => `${key}:subagent:x`)];
}

/** What is refused at the edge already is another test's. */
const isTaken = (query: string) => operations.searchSessions.input.safeParse({ query }).success;

const tokenOf = (agentId: string, project: string | null) =>
  callerAs({
    claims: {
      ...{ role: 'readonly', agentId, project, permissions: ['recall'] },
      expiresAt: '2999-01-01T00:00:00.000Z',
    },
  });

test(
  'whatever is asked, by whatever fields, nobody finds what is foreign and nothing fails',
  () =>
    withOperations(async (room) => {
      const keys = await settle(room);
      const key = fc
        .tuple(fc.constantFrom('', 'session:'), fc.constantFrom(...keys))
        .map((parts) => parts.join(''));
      const some = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
      const asked = fc.record({
        query: oddQueries.filter(isTaken),
        sessionKey: some(key),
        currentSessionKey: some(key),
        rootSessionKey: some(key),
        agentId: some(fc.constantFrom(...agents)),
        project: some(fc.constantFrom(...projects, '/one/below')),
        groupBy: some(fc.constantFrom('turn' as const, 'session' as const)),
        limit: some(fc.integer({ min: 1, max: 20 })),
      });
      const who = fc.record({
        agentId: fc.constantFrom(...agents),
        project: fc.constantFrom(null, ...projects),
      });
      let fruitful = 0;
      const refused = new Set<string>();
      await fc.assert(
        fc.asyncProperty(asked, who, async (input, { agentId, project }) => {
          try {
            const { hits } = await room.ask('searchSessions', input, tokenOf(agentId, project));
            fruitful += hits.length > 0 ? 1 : 0;
            for (const hit of hits) {
              expect(hit.excerpt).toContain(`of ${agentId}`);
              if (project !== null) expect(hit.project).toBe(project);
            }
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
            refused.add(error.code);
          }
        }),
        {
          seed: Number(process.env['SEED'] ?? 20261120),
          numRuns: Number(process.env['RUNS'] ?? 2000),
        },
      );
      expect(fruitful).toBeGreaterThan(50);
      expect([...refused]).toEqual(['forbidden']);
    }),
  120_000,
);
