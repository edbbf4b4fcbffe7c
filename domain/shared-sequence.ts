/**
 * The longest sequence that two lists share, in the order of both: pairs of places. Beyond a size it is
 * the first that is found, as the longest costs the product of both lengths.
 */
export function sharedSequence(
  a: number,
  b: number,
  isSame: (inA: number, inB: number) => boolean,
): [number, number][] {
  let start = 0;
  while (start < a && start < b && isSame(start, start)) start += 1;
  const head = Array.from({ length: start }, (_, at): [number, number] => [at, at]);
  const rows = a - start;
  const columns = b - start;
  const rest =
    rows * columns <= CELLS_MAX
      ? longest(rows, columns, (x, y) => isSame(start + x, start + y))
      : firstFound(rows, columns, (x, y) => isSame(start + x, start + y));
  return [...head, ...rest.map(([x, y]): [number, number] => [start + x, start + y])];
}

/** A few milliseconds. */
const CELLS_MAX = 1_000_000;

type IsSame = (x: number, y: number) => boolean;

function longest(rows: number, columns: number, isSame: IsSame): [number, number][] {
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
  const pairs: [number, number][] = [];
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
const REACH = 1000;

function firstFound(rows: number, columns: number, isSame: IsSame): [number, number][] {
  const pairs: [number, number][] = [];
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
