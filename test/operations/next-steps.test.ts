/** What is refused says what can be done about it, in the words of whoever asked. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { AppError } from '../../contract/errors.ts';
import { hintFor } from '../../contract/hints.ts';
import { withHooks, type HookRoom } from './hooks/hooks-fixture.ts';
import { callerAs } from './operations-fixture.ts';

const asRole = (role: 'readonly' | 'agent') =>
  callerAs({
    claims: {
      ...{ role, agentId: 'default', project: null, permissions: ['recall'] },
      expiresAt: '2999-01-01T00:00:00.000Z',
    },
  });

const refused: [string, (room: HookRoom) => Promise<unknown>, RegExp][] = [
  [
    'an export with its secrets',
    (room) => room.ask('exportSession', { key: 's1', raw: true }, asRole('agent')),
    /Leave --raw out/,
  ],
  [
    'a report by a token that only reads',
    (room) => room.ask('hookStop', { harness: 'x', sessionKey: 's1' }, asRole('readonly')),
    /another token/,
  ],
  [
    'a file that is not there',
    (room) => room.start({ context: { workspacePath: room.home, files: [join('no', 'file')] } }),
    /inside the workspace/,
  ],
  [
    'a role that may not do as much',
    (room) =>
      room.ask('createToken', { role: 'readonly', agentId: 'a', permissions: ['remember'] }),
    /another --role/,
  ],
];

test.each(refused)('%s', (_, ask, hint) =>
  withHooks(async (room) => {
    await room.prompt('s1', 'hello', { agentId: 'default' });
    const error = await ask(room).catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(AppError);
    expect(hintFor('cli', (error as AppError).hint)).toMatch(hint);
  }),
);
