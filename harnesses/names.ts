/** The programs we know, under the names that connectors give them. */

export const harnesses = [
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'copilot-cli',
  'openclaw',
] as const;
export type Harness = (typeof harnesses)[number];

const otherNames: ReadonlyMap<string, Harness> = new Map([
  ['claude', 'claude-code'],
  ['codex-cli', 'codex'],
  ['gemini', 'gemini-cli'],
  ['copilot', 'copilot-cli'],
  ['github-copilot', 'copilot-cli'],
]);

/** The name under which a program is kept, whichever of its names is given. */
export const canonicalName = (name: string): string => harnessOf(name) ?? name;

/** `null`: a program we do not know. It may use everything all the same. */
export function harnessOf(name: string): Harness | null {
  const plain = name.trim().toLowerCase().replaceAll('_', '-');
  return harnesses.find((harness) => harness === plain) ?? otherNames.get(plain) ?? null;
}
