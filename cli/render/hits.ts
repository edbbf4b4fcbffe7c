/** What a search has found: where it stands, and the piece of it that shows why. */
import type { SearchHit } from '../../contract/search.ts';
import { oneLine, plainText } from '../../domain/plain-text.ts';
import { formatAge } from './duration.ts';
import type { Style } from './style.ts';

interface Look {
  style: Style;
  now: number;
  /** Its words are shown bold where they stand. */
  query: string;
}

export function renderHits(hits: readonly SearchHit[], look: Look): string {
  const shown = hits.filter((hit) => !isAlsoAnswer(hit, hits));
  return shown.map((hit) => renderHit(hit, look)).join('\n');
}

/** What a program printed is its answer, too, and stands there twice. */
function isAlsoAnswer({ role, sessionKey, excerpt }: SearchHit, hits: readonly SearchHit[]) {
  if (role !== 'stdout') return false;
  const text = excerpt.trim();
  return hits.some(
    (other) =>
      other.role === 'assistant' &&
      other.sessionKey === sessionKey &&
      other.excerpt.trim() === text,
  );
}

function renderHit(hit: SearchHit, { style, now, query }: Look): string {
  const about = [`#${hit.seq}`, hit.role, formatAge(now - Date.parse(hit.at))];
  if (hit.project !== null) about.push(oneLine(hit.project));
  const lines = plainText(hit.excerpt)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `  ${withWordsBold(line, query, style)}`);
  const head = `${style.bold(oneLine(hit.sessionKey))}  ${style.dim(about.join('  '))}`;
  return [head, ...lines].map((line) => `${line}\n`).join('');
}

/** Han, kana and Hangul stand within runs without spaces; other words are shown to their ends. */
const dense = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}]';
const other = `(?:(?!${dense})[\\p{L}\\p{N}])`;

function withWordsBold(line: string, query: string, style: Style): string {
  const words = query.match(new RegExp(`${dense}+|${other}{2,}`, 'gu'));
  if (words === null) return line;
  const isDense = new RegExp(dense, 'u');
  const patterns = words.map((word) =>
    isDense.test(word) ? word : `(?<!${other})${word}${other}*`,
  );
  return line.replace(new RegExp(patterns.join('|'), 'giu'), (word) => style.bold(word));
}
