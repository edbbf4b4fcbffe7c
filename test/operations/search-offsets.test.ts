/** Where the words of a query stand in the turn that was found, whatever it is written in. */
import { expect, test } from '@jest/globals';
import { withOperations } from './operations-fixture.ts';
import { tell } from './tell.ts';

test.each([
  ['heron sluice', 'the Heron sleeps; a sluice, two herons.', ['Heron', 'sluice', 'herons']],
  ['"sluice gate"', 'a gate, a sluice\n\tgate and a sluice', ['sluice\n\tgate']],
  ['getUser*', 'call `getUserById(x)` in src/users.ts', ['getUserById']],
  ['東京', '昨日、東京都に行った。東京は広い。', ['東京', '東京']],
  ['"東京都に"', '京都に住み、東京都に行った', ['東京都に']],
  ['검색 api', '전체 검색 기능은 API입니다', ['검색', 'API']],
  ['heron', '🙂🙂 👩‍👩‍👧 heron 🏳️‍🌈 heron🙂', ['heron', 'heron']],
  ['東京 heron', '🙂 e\u0301 東京 🙂heron', ['東京', 'heron']],
])('%s: its offsets cut out of %j what fits, however far it stands', (query, text, words) =>
  withOperations(async (room) => {
    const far = { ascii: 'of other things. ', wide: '別の話🙂👩‍👩‍👧, e\u0301. ' };
    const before = ['', far.ascii.repeat(100), far.wide.repeat(100)];
    await tell(
      room,
      'one',
      before.map((hay) => `${hay}${text} ${hay}`),
    );
    const { hits } = await room.ask('searchSessions', { query, sessionKey: 'one' });
    const asked = { key: 'one', format: 'turns' as const };
    const turns = (await room.ask('getSessionTranscript', asked)).turns!;
    const cut = hits.map(({ seq, offsets }) => {
      const said = turns.find((turn) => turn.seq === seq)!.text;
      return offsets.map(({ start, end }) => said.slice(start, end));
    });
    expect(cut).toEqual(before.map(() => words));
  }),
);
