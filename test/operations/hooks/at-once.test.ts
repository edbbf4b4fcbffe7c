/** Hooks of one session that come at the same time, each with a transcript of its own. */
import { expect, test } from '@jest/globals';
import { line, withHooks } from './hooks-fixture.ts';

test('of hooks at once, whose last messages overlap, each message stands once', () =>
  withHooks(async (room) => {
    const messages = Array.from({ length: 12 }, (_, at) =>
      line(at % 2 === 0 ? 'user' : 'assistant', ['go on', 'done', 'yes'][at % 3]!, {
        uuid: `m${at}`,
      }),
    );
    const from = (at: number) => messages.slice(at, at + 6).join('');
    const path = room.stage('both.jsonl', messages.join(''));
    await room.report('s1', messages.slice(0, 4).join(''));
    await Promise.all([
      room.report('s1', from(2)),
      room.report('s1', from(6)),
      room.report('s1', from(4)),
      room.report('s1', from(3)),
      room.ask('hookStop', { harness: 'claude-code', sessionKey: 's1', transcriptPath: path }),
      room.report('s1', from(6)),
    ]);
    const uuids = room.store.db.all<{ uuid: string }>(
      "SELECT raw ->> 'uuid' AS uuid FROM turns WHERE raw IS NOT NULL ORDER BY seq",
    );
    expect(uuids.map(({ uuid }) => uuid)).toEqual(messages.map((_, at) => `m${at}`));
    expect(room.said('s1')).toHaveLength(messages.length);
  }));
