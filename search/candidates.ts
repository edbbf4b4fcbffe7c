/**
 * Phase one: which turns may be meant, without ranking them. FTS5's own ranking reads every occurrence of
 * every word in the whole index; here each term gives up some thousands of its newest turns, the rarest first.
 */
import type { IndexFile } from './index-file.ts';
import type { Lengths } from './lengths.ts';
import type { Query, Term } from './query.ts';
import { saturation } from './rank.ts';
import type { Reach } from './scope.ts';

export interface Candidate {
  id: number;
  /** The terms that it was found by, as bits. */
  terms: number;
}

/** Of one query; and how many of them are read and scored: with more, what lies together pushes out what was meant. */
const candidatesMax = 4000;
const scoredMax = 80;
/** Terms found in more turns than this share say little, where another has found enough. */
const commonShare = 0.2;
const enough = 200;

/**
 * Whose a turn is, the index can tell as it can tell any word: a look at each of the term's turns, some
 * microseconds. Where the term is rare, or most turns are looked at anyway, all its turns are read instead.
 */
const plainMax = 2000;
const plainShare = 0.05;
const rarePlainShare = 0.005;

interface Asked {
  ids: number[];
  /** There may be more, older ones. */
  isCut: boolean;
}

export interface Frequencies {
  /** In how many turns of the whole index it stands; an estimate above some thousands. */
  of(term: Term): number;
}

export interface Found {
  candidates: Candidate[];
  /** The weight of each term: rare ones have more. */
  weights: number[];
}

/** What a search goes over: whose turns, and of how many in the whole index. */
interface Room {
  reach: Reach;
  turns: number;
}

/** What there is to look into. */
interface Shelf {
  index: IndexFile;
  frequencies: Frequencies;
  lengths: Lengths;
}

export function findCandidates(shelf: Shelf, query: Query, room: Room): Found {
  const { found, weights } =
    room.reach.turns <= candidatesMax
      ? findAll(shelf.index, query, room.reach)
      : findSome(shelf, query, room);
  return { candidates: best(found, weights, shelf.lengths), weights };
}

/** By turn: the terms that it was found by, as bits. */
interface FoundTurns {
  found: Map<number, number>;
  weights: number[];
}

/** In a conversation or two all can be looked at, and what is rare is what is rare there. */
function findAll(index: IndexFile, { terms, without }: Query, reach: Reach): FoundTurns {
  const { turns } = reach;
  const end = notOf(without);
  const found = new Map<number, number>();
  const counts = terms.map((term, at) => {
    // Says little, and stands in so many turns that asking for it takes longer than for all others.
    if (term.isStopWord) return turns / 2;
    const ids = index.selectAll(`(${reach.match} AND ${term.match})${end}`).filter(reach.includes);
    for (const id of ids) {
      const bits = found.get(id);
      if (bits !== undefined || !term.isSoft) found.set(id, (bits ?? 0) | (1 << at));
    }
    return ids.length;
  });
  return { found, weights: weightsOf(terms, counts, turns) };
}

function findSome(
  { index, frequencies }: Shelf,
  { terms, without }: Query,
  { reach, turns }: Room,
): FoundTurns {
  const counts = terms.map((term) => frequencies.of(term));
  const end = notOf(without);
  /** Of those that an expression fits in about so many turns, the newest. */
  const ask = (match: string, count: number, limit: number): Asked => {
    if (reach.share < (count > plainMax ? plainShare : rarePlainShare)) {
      const ids = index.select(`(${reach.match} AND ${match})${end}`, limit);
      return { ids, isCut: ids.length === limit };
    }
    const most = Math.ceil(limit / Math.max(reach.share, plainShare));
    const all = index.select(match + end, most);
    const ids = reach.share === 1 ? all : all.filter(reach.includes);
    return { ids: ids.slice(0, limit), isCut: all.length === most || ids.length > limit };
  };

  const found = new Map<number, number>();
  const add = (ids: number[], bits: number) => {
    for (const id of ids) found.set(id, (found.get(id) ?? 0) | bits);
  };
  const hard = terms.map((_, at) => at).filter((at) => !terms[at]!.isSoft);
  hard.sort((a, b) => counts[a]! - counts[b]!);
  let isCut = false;
  for (const at of hard) {
    const left = candidatesMax - found.size;
    const isCommon = counts[at]! > turns * commonShare && found.size >= enough;
    isCut ||= left <= 0 || isCommon;
    if (isCut) break;
    const asked = ask(terms[at]!.match, counts[at]!, left);
    add(asked.ids, 1 << at);
    isCut = asked.isCut;
  }
  // Those that hold every word may be older than what was reached.
  if (isCut && hard.length > 1) {
    const match = hard.map((at) => terms[at]!.match).join(' AND ');
    add(
      ask(`(${match})`, counts[hard[0]!]!, candidatesMax).ids,
      hard.reduce((bits, at) => bits | (1 << at), 0),
    );
  }
  return { found, weights: weightsOf(terms, counts, turns) };
}

const weightsOf = (terms: readonly Term[], counts: readonly number[], turns: number) =>
  terms.map(
    (term, at) => term.weight * Math.log(1 + (turns - counts[at]! + 0.5) / (counts[at]! + 0.5)),
  );

function notOf(without: readonly Term[]): string {
  return without.length > 0 ? ` NOT (${without.map(({ match }) => match).join(' OR ')})` : '';
}

/** Those whose score may be highest, by what is known without a look at their texts; of equal ones the newest. */
function best(
  found: Map<number, number>,
  weights: readonly number[],
  lengths: Lengths,
): Candidate[] {
  if (found.size <= scoredMax) return [...found].map(([id, terms]) => ({ id, terms }));
  const sums = new Map<number, number>();
  const sumOf = (bits: number) => {
    const known = sums.get(bits);
    if (known !== undefined) return known;
    const sum = weights.reduce((all, weight, at) => all + (bits & (1 << at) ? weight : 0), 0);
    sums.set(bits, sum);
    return sum;
  };
  const mean = lengths.mean();
  const ids = Float64Array.from(found.keys());
  const scores = ids.map((id) => sumOf(found.get(id)!) * saturation(1, lengths.of(id) / mean));
  // Numbers alone are sorted in a fraction of the time that candidates are.
  const least = scores.toSorted()[scores.length - scoredMax]!;
  const above: number[] = [];
  const equal: number[] = [];
  for (const [at, id] of ids.entries()) {
    if (scores[at]! > least) above.push(id);
    else if (scores[at] === least) equal.push(id);
  }
  equal.sort((a, b) => b - a);
  const chosen = [...above, ...equal.slice(0, scoredMax - above.length)];
  return chosen.map((id) => ({ id, terms: found.get(id)! }));
}
