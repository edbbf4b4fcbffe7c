/** Text of somebody else, made harmless: it must not steer the terminal it is shown on, nor pass for a line of ours. */

// Escape sequences whole (CSI, OSC, others), then any control character but tab and line feed.
const sequences =
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[@-_]?/g;
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

export function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(sequences, '').replaceAll(controls, '');
}

/** For titles, tables and headlines, on every surface. */
export function oneLine(text: string): string {
  const spaced = text.replaceAll(sequences, '').replaceAll(/[\s\p{Cc}]+/gu, ' ');
  return spaced.replaceAll(controls, '').trim();
}

/**
 * As it is compared: spaces are as each program likes them, and single ones stay where they are. Not by `\s+`, of which
 * four million overflow the stack of the expression once the process has compiled so much that this is compiled plainly.
 */
export const singleSpaced = (text: string) => text.replace(/\s\s\s*|[^\S ]/g, ' ').trim();

/** For a place where tags count: nothing in it can open or close one, or end an attribute. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** What `escapeMarkup` was given. */
export function unescapeMarkup(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}
