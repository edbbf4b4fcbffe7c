/** Fields that no hook knows: kept as far as there is room, and of what has none its name and size. */
import { isShallow } from './depth.ts';
import { limits } from './limits.ts';

type Fields = Record<string, unknown>;

/** What of them is kept: the first that have room beside each other. Null where there is nothing. */
export function keptFields(fields: Iterable<[string, unknown]>, bytesMax: number): Fields | null {
  const kept: [string, unknown][] = [];
  const left: LeftOut = { count: 0, fields: [] };
  let room = bytesMax;
  for (const [name, value] of fields) {
    // Of what is sent without end neither is looked at any more.
    const isLook = left.fields.length < namesMax;
    const bytes = isLook ? sizeOf(name, value) : null;
    if (bytes !== null && bytes <= room) {
      kept.push([name, value]);
      room -= bytes;
      continue;
    }
    left.count += 1;
    if (isLook) left.fields.push({ name: name.slice(0, limits.keyCharsMax), bytes });
  }
  if (left.count > 0) kept.push([leftOutName, left]);
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** Says of a turn that its hook had more to say than is kept. */
const leftOutName = 'offshootLeftOut';

interface LeftOut {
  count: number;
  /** The first of them. Null for one that is nested too deep to be measured. */
  fields: { name: string; bytes: number | null }[];
}

const namesMax = 50;

/** As it would be kept. One less deep than a body may be: it stands in one. */
function sizeOf(name: string, value: unknown): number | null {
  if (!isShallow(value, limits.jsonLevelsMax - 1)) return null;
  return Buffer.byteLength(JSON.stringify([name, value]));
}
