/** What `offshoot hook` says of an environment that leads to no server. */
import { expect, test } from '@jest/globals';
import { answerProblem } from '../client/fake-server.ts';
import { noVariables, withHookHome } from './hook-home.ts';

test.each([
  ['nonsense', 'OFFSHOOT_URL is no address: "nonsense"'],
  ['localhost:8464', 'OFFSHOOT_URL is no address: "localhost:8464"'],
  [null, 'It is unauthorized: OFFSHOOT_TOKEN is not taken'],
])('what is wrong with the environment is told by its name: %s', (url, why) =>
  withHookHome(
    (_, response) => answerProblem(response, 401, 'unauthorized'),
    async ({ hook, server }) => {
      const environment = { ...noVariables, url, token: 'wrong' };
      const err = `offshoot hook: ${why}; kept for later\n`;
      expect(await hook({ session_id: 's' }, { environment })).toEqual({ out: '', err });
      expect(server.seen).toHaveLength(url === null ? 1 : 0);
    },
  ),
);
