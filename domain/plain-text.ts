/** Text of somebody else, made harmless: an agent's output must not steer the terminal it is shown on. */

// Escape sequences whole (CSI, OSC, others), then any control character but tab and line feed.
const sequences =
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[@-_]?/g;
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

export function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(sequences, '').replaceAll(controls, '');
}

export function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim();
}
