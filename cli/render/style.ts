/** Colours, where they are wanted: nowhere but on a terminal, and not with NO_COLOR. */

export type Paint = (text: string) => string;
export interface Style {
  dim: Paint;
  bold: Paint;
  red: Paint;
  green: Paint;
  yellow: Paint;
}

export function createStyle(hasColor: boolean): Style {
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      hasColor && text !== '' ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  return {
    dim: paint(2, 22),
    bold: paint(1, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  };
}
