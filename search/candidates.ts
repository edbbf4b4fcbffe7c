/**
 * Phase one: which turns may be meant, without ranking them. FTS5's own ranking reads every occurrence of
 * every word in the whole index; here each term gives up some thousands of its newest turns, the rarest first.
 */
import type { IndexFile } from './index-file.ts';
import type { Lengths } from './lengths.ts';
import type { Places } from './places.ts';
import type { Query } from './query.ts';
import { leaveOut, type Reach } from './scope.ts';
import { shortlist, type Candidate, type FoundTurns } from './shortlist.ts';
import { isSure, type Term } from './term.ts';

/** Of one query. */
const candidatesMax = 4000;
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
/** Of what was to be expected. */
const lonelyShare = 0.5;
/** Turns that fit a term in a tree, of which a part is searched. */
const walkedMax = 100_000;

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

/** What a search goes over: whose turns, of how many in the whole index, and how many sessions it wants, if not turns. */
interface Room {
  reach: Reach;
  turns: number;
  sessions: number | null;
}

/** What there is to look into. */
interface Shelf {
  index: IndexFile;
  frequencies: Frequencies;
  lengths: Lengths;
  places: Places;
}

export function findCandidates(shelf: Shelf, query: Query, room: Room): Found {
  const { places, lengths } = shelf;
  const isSmall = room.reach.turns <= candidatesMax;
  const { found, weights } = (isSmall ? findAll : findSome)(shelf, query, room);
  const wanted = {
    isSure: [...query.terms, ...query.without].every(isSure),
    sessions: room.sessions,
    sessionOf: places.sessionOf,
  };
  return { candidates: shortlist(found, weights, lengths, wanted), weights };
}

interface Weighed {
  found: FoundTurns;
  weights: number[];
}

/** In a conversation or two all can be looked at, and what is rare is what is rare there. */
function findAll({ index, places }: Shelf, { terms, without }: Query, { reach }: Room): Weighed {
  const { turns } = reach;
  const end = notOf(without);
  const found = new Map<number, number>();
  const counts = terms.map((term, at) => {
    // Says little, and stands in so many turns that asking for it takes longer than for all others.
    if (term.isStopWord) return turns / 2;
    const match = `(${reach.match} AND ${term.match})${end}`;
    const all = reach.isExact ? index.selectAll(match) : index.select(match, walkedMax);
    const ids = all.filter((id) => reach.includes(places.sessionOf(id)));
    for (const id of ids) {
      const bits = found.get(id);
      if (bits !== undefined || !term.isSoft) found.set(id, (bits ?? 0) | (1 << at));
    }
    return ids.length;
  });
  return { found, weights: weightsOf(terms, counts, turns) };
}

function findSome(shelf: Shelf, query: Query, { reach, turns, sessions }: Room): Weighed {
  const { places, frequencies } = shelf;
  const counts = query.terms.map((term) => frequencies.of(term));
  const { found, isCut } = gather(shelf, query, { reach, turns, counts });
  // One session may fill all the room: then the others are looked for without it.
  for (let isMore = isCut; isMore && sessions !== null;) {
    const known = new Set(Array.from(found.keys(), places.sessionOf));
    if (known.size === 0 || known.size >= sessions) break;
    const others = leaveOut(reach, places, [...known]);
    const more = gather(shelf, query, { reach: others, turns, counts });
    for (const [id, bits] of more.found) found.set(id, bits);
    isMore = more.isCut && more.found.size > 0;
  }
  return { found, weights: weightsOf(query.terms, counts, turns) };
}

/** The newest turns of each term, the rarest first. */
function gather(
  shelf: Shelf,
  { terms, without }: Query,
  { reach, turns, counts }: { reach: Reach; turns: number; counts: readonly number[] },
) {
  const end = notOf(without);
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
    const asked = ask(shelf, reach, terms[at]!.match, end, counts[at]!, left);
    add(asked.ids, 1 << at);
    isCut = asked.isCut;
  }
  // Those that hold every word may be older than what was reached.
  if (isCut && hard.length > 1) {
    const match = hard.map((at) => terms[at]!.match).join(' AND ');
    add(
      ask(shelf, reach, `(${match})`, end, counts[hard[0]!]!, candidatesMax).ids,
      hard.reduce((bits, at) => bits | (1 << at), 0),
    );
  }
  return { found, isCut };
}

/** Of the turns that an expression fits, in about so many of the whole index, the newest. */
function ask(
  { index, places }: Shelf,
  reach: Reach,
  match: string,
  end: string,
  count: number,
  limit: number,
): Asked {
  const isWanted = (id: number) => reach.includes(places.sessionOf(id));
  const within = (): Asked => {
    const most = reach.isExact ? limit : walkedMax;
    const all = index.select(`(${reach.match} AND ${match})${end}`, most);
    const ids = all.filter(isWanted);
    return { ids: ids.slice(0, limit), isCut: all.length === most || ids.length > limit };
  };
  if (reach.share < (count > plainMax ? plainShare : rarePlainShare)) return within();
  const most = Math.ceil(limit / Math.max(reach.share, plainShare));
  const all = index.select(match + end, most);
  const ids = reach.share === 1 ? all : all.filter(isWanted);
  const isCut = all.length === most || ids.length > limit;
  // Others may have said it again and again since.
  if (isCut && ids.length < limit * lonelyShare) return within();
  return { ids: ids.slice(0, limit), isCut };
}

/** More turns than there are hold no term, whatever was estimated: a weight below nothing would turn the order round. */
const weightsOf = (terms: readonly Term[], counts: readonly number[], turns: number) =>
  terms.map((term, at) => {
    const count = Math.min(counts[at]!, turns);
    return term.weight * Math.log(1 + (turns - count + 0.5) / (count + 0.5));
  });

function notOf(without: readonly Term[]): string {
  const sure = without.flatMap((term) => term.sure ?? []);
  return sure.length > 0 ? ` NOT (${sure.join(' OR ')})` : '';
}
