/** How wide a text is in a terminal, where some characters take two columns and some none. */
import { beforeCutMark } from '../../domain/text.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}])|\uFE0F/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Cut with an ellipsis where it is too long. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return `${beforeCutMark(fitting(piecesOf(text), width - 1).join('')).trimEnd()}…`;
}

/** The same, of keys: such as differ mostly do so at an end. */
export function cutMiddleTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const pieces = piecesOf(text);
  const head = fitting(pieces, Math.ceil((width - 1) / 2));
  const tail = fitting(pieces.toReversed(), Math.floor((width - 1) / 2)).toReversed();
  return [...head, '…', ...tail].join('');
}

const piecesOf = (text: string) => [...graphemes.segment(text)].map(({ segment }) => segment);

/** The first of them, as many as there is room for. */
function fitting(pieces: readonly string[], width: number): string[] {
  let used = 0;
  const end = pieces.findIndex((piece) => {
    used += wide.test(piece) ? 2 : 1;
    return used > width;
  });
  return end === -1 ? [...pieces] : pieces.slice(0, end);
}

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

export function padStartTo(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text;
}
