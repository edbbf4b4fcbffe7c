/** What is found out of a text, looked for once as long as there is room to keep the text beside it. */
export type TextMemo<T> = (text: string, find: (text: string) => T) => T;

/** When the texts have more characters than this together, all are forgotten. */
export function createTextMemo<T>(charsMax: number): TextMemo<T> {
  const known = new Map<string, T>();
  let chars = 0;
  return (text, find) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = find(text);
    chars += text.length;
    if (chars > charsMax) {
      known.clear();
      chars = text.length;
    }
    known.set(text, found);
    return found;
  };
}
