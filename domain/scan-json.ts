/** What a JSON text holds, counted before anything is made of it: of `{},{},` each three characters are an object in memory. */
import { limits } from '../contract/limits.ts';

/** Whether it holds more values than may be made of one text: objects, lists, and the names and values in them. */
export function holdsTooMuch(json: string, valuesMax: number = limits.jsonValuesMax): boolean {
  // Each has a character of its own, and one that separates it from the next.
  if (json.length <= 2 * valuesMax) return false;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = stringEnd(json, at + 1) - 1;
    else if (isBefore(code)) values += 1;
    if (values > valuesMax) return true;
  }
  return false;
}

const quote = '"'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);

/** What stands before each name and value but the first: a comma, a colon, or the bracket of what it is in. */
function isBefore(code: number): boolean {
  return code === 0x2c || code === 0x3a || code === 0x5b || code === 0x7b;
}

/** Right behind the quote that ends a string which begins at `from`. One that never ends goes to the end. */
export function stringEnd(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at !== -1; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (before > from && json.charCodeAt(before - 1) === backslash) before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return json.length;
}
