/** The version that is pinned in `go.mod`, and the oldest one whose flags and UI we rely on. */
export const pinnedCli = '1.8.2';
export const oldestCli = '1.7.0';
/** The server that is in `oldestCli`: one that the user names is judged by the same. */
export const oldestServer = '1.31.0';

export interface EngineVersion {
  cli: string;
  server: string;
}

/** Reads "temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)"; null for anything else. */
export function parseVersion(text: string): EngineVersion | null {
  const match = /temporal version (\S+) \(Server ([^,\s]+)/.exec(text);
  if (!match?.[1] || !match[2]) return null;
  return { cli: match[1], server: match[2] };
}

export function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbers(version), numbers(than)];
  for (let i = 0; i < 3; i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbers(version: string): number[] {
  return version
    .split(/[.-]/)
    .slice(0, 3)
    .map((part) => Number.parseInt(part, 10) || 0);
}
