/** What stands in README.md to be copied: it has to work. */
import { readFileSync } from 'node:fs';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The block of code in this language that has these words. */
export function readmeBlock(language: string, words: string): string {
  const blocks = readme.split(/^```/m).filter((_, index) => index % 2 === 1);
  const found = blocks.find((block) => block.startsWith(`${language}\n`) && block.includes(words));
  if (found === undefined) throw new Error(`README.md has no ${language} with ${words}`);
  return found.slice(language.length + 1);
}
