/**
 * What is found out of a text, looked for once as long as there is room to keep the text beside it. Texts are told apart by
 * numbers: to look a text up by its words takes as long as to look through it. Whatever has that number, only the same text is known.
 */
export type TextMemo<T> = (text: NumberedText, find: (text: string) => T) => T;

export interface NumberedText {
  number: number;
  text: string;
}

/** When the texts have more characters than this together, all are forgotten. */
export function createTextMemo<T>(charsMax: number): TextMemo<T> {
  const known = new Map<number, { text: string; found: T }>();
  let chars = 0;
  return ({ number, text }, find) => {
    const before = known.get(number);
    if (before?.text === text) return before.found;
    const found = find(text);
    chars += text.length - (before?.text.length ?? 0);
    if (chars > charsMax) {
      known.clear();
      chars = text.length;
    }
    known.set(number, { text, found });
    return found;
  };
}

/** What is said in a session, by turn. */
export const numberedTurns = (
  sessionId: number,
  turns: readonly { seq: number; text: string }[],
): NumberedText[] => turns.map(({ seq, text }) => ({ number: sessionId * 2 ** 32 + seq, text }));
