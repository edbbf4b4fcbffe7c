import { lstatSync } from 'node:fs';

export interface TranscriptRoot {
  folder: string;
  /** Of each folder in it only what lies below this one. */
  part?: string;
}

/**
 * Where the programs we know keep their transcripts, below the user's home, and nothing else of theirs: beside them
 * lie keys and histories of shells.
 */
const programFolders: readonly TranscriptRoot[] = [
  { folder: '.claude/projects' },
  { folder: '.codex/sessions' },
  { folder: '.gemini/tmp', part: 'chats' },
  { folder: '.local/share/opencode/storage' },
  { folder: '.copilot/session-state' },
  { folder: '.openclaw/agents', part: 'sessions' },
];

/** Where connectors of Signet stage transcripts. All may write beside it, so it may be somebody else's. */
export const signetFolder = '/tmp/signet';

export function transcriptRoots(
  userHome: string,
  staging: string,
  configured: readonly string[],
  signetStaging = signetFolder,
): TranscriptRoot[] {
  const ofPrograms = programFolders.map((one) => ({ ...one, folder: `${userHome}/${one.folder}` }));
  const ofSignet = isOwnFolder(signetStaging) ? [signetStaging] : [];
  return [...ofPrograms, ...[staging, ...ofSignet, ...configured].map((folder) => ({ folder }))];
}

/** The own user's, and no link to another place. */
function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && found.uid === process.getuid?.();
}
