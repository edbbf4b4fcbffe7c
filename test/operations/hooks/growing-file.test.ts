/** A file that is read while its program writes it: wherever it ends then, in the end all of it was said once. */
import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { line, withHooks } from './hooks-fixture.ts';

const records = Buffer.from(
  [
    line('user', 'Größe 日本 😀').replace('\n', '\r\n'),
    '\r\n',
    line('assistant', 'NUL \0 and \u2028 and 한'),
    line('user', 'ende 😀'),
  ].join(''),
);

test('records are the same turns, cut at any byte', () =>
  withHooks(async (room) => {
    const told = async (key: string, parts: Buffer[]) => {
      const transcriptPath = room.stage(`${key}.jsonl`, '');
      for (const part of parts) {
        writeFileSync(transcriptPath, part);
        await room.ask('hookStop', { harness: 'claude-code', sessionKey: key, transcriptPath });
      }
      const rows = room.store.db.all<{ raw: string }>(
        `SELECT raw FROM turns JOIN sessions s ON s.id = session_id
         WHERE session_key = :key AND raw IS NOT NULL ORDER BY seq`,
        { key },
      );
      // A record that is whole is taken before its end of line comes, and an empty line is no turn.
      return { said: room.said(key), raws: rows.map(({ raw }) => raw.trimEnd()) };
    };
    const whole = await told('whole', [records]);
    expect(whole.raws).toEqual(
      records
        .toString()
        .split(/[\r\n]+/)
        .filter(Boolean),
    );
    expect(whole.said).toHaveLength(3);
    for (let cut = 0; cut < records.length; cut += 1) {
      const key = `cut ${cut}`;
      expect([key, await told(key, [records.subarray(0, cut), records])]).toEqual([key, whole]);
    }
  }));

const talk = [line('user', 'one', { uuid: 'm1' }), line('assistant', 'first', { uuid: 'm2' })];
const goesOn = [line('user', 'two', { uuid: 'm3' }), line('assistant', 'second', { uuid: 'm4' })];
const said = ['user: one', 'assistant: first', 'user: two', 'assistant: second'];

test.each([
  ['has all of it', [...talk, ...goesOn]],
  ['has what is new alone', goesOn],
])('a file that begins anew with a line about itself is no more than that until it %s', (_, more) =>
  withHooks(async (room) => {
    const head = `${JSON.stringify({ type: 'system', subtype: 'resumed' })}\n`;
    const files = [talk.join(''), head, head + more.join('')];
    for (const [at, content] of files.entries()) {
      const transcriptPath = room.stage(`${Math.min(at, 1)}.jsonl`, content);
      await room.ask('hookStop', { harness: 'claude-code', sessionKey: 's1', transcriptPath });
    }
    expect(room.said('s1')).toEqual(said);
  }),
);
