import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { stem } from '../../search/stem.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Words as developers write them: our own documents, and ends that English has. */
function words(): string[] {
  const texts = ['README.md', 'CHANGELOG.md', 'LICENSE', 'AGENTS.md']
    .concat(
      readdirSync(`${root}/docs`)
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`),
    )
    .map((name) => readFileSync(`${root}/${name}`, 'utf8'));
  const found = new Set(
    texts
      .join(' ')
      .toLowerCase()
      .match(/[a-z]+/g),
  );
  const ends =
    's es ies sses ed eed ing y er ational tional enci anci izer ization ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence able ible ant ement ment ent ion ou ism ate iti ous ive ize ly e ll'.split(
      ' ',
    );
  const begins =
    'a be st rel hop hopp fall hiss fizz fail fil troubl conflat siz contr p agr tr sk happ motor plast connect formal sensit possib y sy oy toy abcd'.split(
      ' ',
    );
  for (const begin of begins) for (const end of ends) found.add(begin + end);
  return [...found];
}

test('a stem is what the index makes of the word', () => {
  const db = new BetterSqlite3(':memory:');
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61');
           CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')`);
  const put = db.prepare('INSERT INTO t (rowid, x) VALUES (?, ?)');
  const all = words();
  db.transaction(() => all.forEach((word, at) => put.run(at + 1, word)))();
  const rows = db.prepare('SELECT term, doc FROM v').all() as { term: string; doc: number }[];
  const wrong = rows
    .filter(({ term, doc }) => stem(all[doc - 1]!) !== term)
    .map(({ term, doc }) => `${all[doc - 1]}: ${term}, not ${stem(all[doc - 1]!)}`);
  expect(all.length).toBeGreaterThan(3000);
  expect(rows.length).toBe(all.length);
  expect(wrong).toEqual([]);
  db.close();
});
