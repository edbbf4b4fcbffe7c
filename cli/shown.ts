/** What a person has just seen of an invocation on the terminal: its end need not say that again. */
import { plainText } from '../domain/plain-text.ts';

/** What came before is far above by now. */
const keptChars = 1_000_000;

export class Shown {
  #tail = '';

  add(text: string): void {
    this.#tail += text;
    if (this.#tail.length > 2 * keptChars) this.#tail = this.#tail.slice(-keptChars);
  }

  /** Whether the last lines on the terminal are these words. */
  endsWith(words: string): boolean {
    const text = plainText(words).trimEnd();
    return text !== '' && `\n${this.#tail.trimEnd()}`.endsWith(`\n${text}`);
  }
}
