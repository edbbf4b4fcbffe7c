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
