/** How far a list goes as another one begins, from each of its places on; in as many steps as both are long. */

/** Equal texts get equal numbers, which are compared in no time however long the texts are. */
export function numbered(...lists: readonly (readonly string[])[]): [number[], number[]] {
  const numbers = new Map<string, number>();
  const numberOf = (text: string) => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, numbers.size);
    return numbers.size - 1;
  };
  return lists.map((list) => list.map(numberOf)) as [number[], number[]];
}

/** Of `list`, from each place on, how many are those that `keys` begins with. (The Z algorithm.) */
export function leadingLengths(keys: readonly number[], list: readonly number[]): Int32Array {
  const all = [...keys, -1, ...list];
  const lengths = new Int32Array(all.length);
  let [left, right] = [0, 0];
  for (let at = 1; at < all.length; at += 1) {
    let length = at < right ? Math.min(right - at, lengths[at - left]!) : 0;
    while (at + length < all.length && all[length] === all[at + length]) length += 1;
    lengths[at] = length;
    if (at + length > right) [left, right] = [at, at + length];
  }
  return lengths.slice(keys.length + 1);
}
