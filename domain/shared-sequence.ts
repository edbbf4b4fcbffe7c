/** What two lists share in the order of both: pairs of places. */
type IsSame = (x: number, y: number) => boolean;
type Pair = [number, number];

/**
 * The longest of equal numbers. Of lists that are too long for that, the one through what both have once, which is
 * what a long conversation mostly has, and between those the longest again, or the first that is found.
 */
export function sharedSequence(a: readonly number[], b: readonly number[]): Pair[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  const head = Array.from({ length: start }, (_, at): Pair => [at, at]);
  if (isSmall(a.length - start, b.length - start))
    return [...head, ...within(a, b, [start, start], [a.length, b.length])];
  let end = 0;
  // What stands at the beginning of both may stand at the end of one of them, too.
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const ends: Pair = [a.length - end, b.length - end];
  const tail = Array.from({ length: end }, (_, at): Pair => [ends[0] + at, ends[1] + at]);
  const pairs = [...head];
  let from: Pair = [start, start];
  for (const [x, y] of onceInBoth(a, b, from, ends)) {
    for (const pair of within(a, b, from, [x, y])) pairs.push(pair);
    pairs.push([x, y]);
    from = [x + 1, y + 1];
  }
  return [...pairs, ...within(a, b, from, ends), ...tail];
}

/** The same by any rule, which may cost more than a comparison of numbers. */
export function sharedBy(rows: number, columns: number, isSame: IsSame): Pair[] {
  return isSmall(rows, columns)
    ? longest(rows, columns, isSame)
    : firstFound(rows, columns, isSame);
}

/** A few milliseconds: the longest costs the product of both lengths. */
const CELLS_MAX = 1_000_000;
const isSmall = (rows: number, columns: number) => rows * columns <= CELLS_MAX;

function within(a: readonly number[], b: readonly number[], from: Pair, to: Pair): Pair[] {
  const [x, y] = from;
  return sharedBy(to[0] - x, to[1] - y, (row, column) => a[x + row] === b[y + column]).map(
    ([row, column]): Pair => [x + row, y + column],
  );
}

/** Of what each list has once, the longest sequence in the order of both. */
function onceInBoth(a: readonly number[], b: readonly number[], from: Pair, to: Pair): Pair[] {
  const inB = placesOnce(b, from[1], to[1]);
  const both = [...placesOnce(a, from[0], to[0])].flatMap(([one, x]): Pair[] => {
    const y = inB.get(one) ?? -1;
    return x < 0 || y < 0 ? [] : [[x, y]];
  });
  return increasing(both.toSorted(([x], [other]) => x - other));
}

/** Where each number stands; -1 where it does more than once. */
function placesOnce(list: readonly number[], from: number, to: number): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = from; at < to; at += 1) places.set(list[at]!, places.has(list[at]!) ? -1 : at);
  return places;
}

/** The longest part of pairs, in the order of their first, in which the second grows, too. */
function increasing(pairs: readonly Pair[]): Pair[] {
  // Of each length the index of the pair that ends it lowest, and of each pair the one before it.
  const ends: number[] = [];
  const before = pairs.map(([, y], index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]![1] < y) low = middle + 1;
      else high = middle;
    }
    ends[low] = index;
    return low === 0 ? -1 : ends[low - 1]!;
  });
  const found: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) found.push(pairs[at]!);
  return found.toReversed();
}

function longest(rows: number, columns: number, isSame: IsSame): Pair[] {
  const width = columns + 1;
  // Of each cell, how much is shared from there to both ends.
  const shared = new Uint32Array((rows + 1) * width);
  for (let x = rows - 1; x >= 0; x -= 1) {
    for (let y = columns - 1; y >= 0; y -= 1) {
      shared[x * width + y] = isSame(x, y)
        ? shared[(x + 1) * width + y + 1]! + 1
        : Math.max(shared[(x + 1) * width + y]!, shared[x * width + y + 1]!);
    }
  }
  const pairs: Pair[] = [];
  for (let x = 0, y = 0; x < rows && y < columns;) {
    if (isSame(x, y) && shared[x * width + y] === shared[(x + 1) * width + y + 1]! + 1) {
      pairs.push([x, y]);
      x += 1;
      y += 1;
    } else if (shared[(x + 1) * width + y]! >= shared[x * width + y + 1]!) x += 1;
    else y += 1;
  }
  return pairs;
}

/** How far ahead the same is looked for, where all cannot be looked at. */
const REACH = 100;

function firstFound(rows: number, columns: number, isSame: IsSame): Pair[] {
  const pairs: Pair[] = [];
  let next = 0;
  for (let y = 0; y < columns; y += 1) {
    for (let x = next; x < Math.min(rows, next + REACH); x += 1) {
      if (!isSame(x, y)) continue;
      pairs.push([x, y]);
      next = x + 1;
      break;
    }
  }
  return pairs;
}
