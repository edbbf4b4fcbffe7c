import { lstatSync } from 'node:fs';

/** Where the programs we know keep their transcripts, below the user's home. */
const programFolders = [
  '.claude/projects',
  '.codex/sessions',
  '.gemini/tmp',
  '.local/share/opencode',
  '.copilot/session-state',
  '.openclaw/agents',
];

/** Where connectors of Signet stage transcripts. All may write beside it, so it may be somebody else's. */
const signetStaging = '/tmp/signet';

export function transcriptRoots(
  userHome: string,
  staging: string,
  configured: readonly string[],
): string[] {
  const ofPrograms = programFolders.map((folder) => `${userHome}/${folder}`);
  const ofSignet = isOwnFolder(signetStaging) ? [signetStaging] : [];
  return [...ofPrograms, staging, ...ofSignet, ...configured];
}

/** The own user's, and no link to another place. */
export function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && found.uid === process.getuid?.();
}
