import { chownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { AppError } from '../../../contract/errors.ts';
import { readTranscript } from '../../../operations/hooks/read-transcript.ts';
import {
  signetFolder,
  transcriptRoots,
  type TranscriptRoot,
} from '../../../operations/hooks/transcript-roots.ts';
import { withFolder } from '../../support/folder.ts';

test.each([
  ['.claude/projects/-repo/s1.jsonl', 'read'],
  ['.codex/sessions/2026/11/19/rollout-1.jsonl', 'read'],
  ['.gemini/tmp/project/chats/session-1.jsonl', 'read'],
  ['.gemini/tmp/project/chats/s1/sub.jsonl', 'read'],
  ['.local/share/opencode/storage/message/s1/m1.json', 'read'],
  ['.copilot/session-state/s1/events.jsonl', 'read'],
  ['.openclaw/agents/main/sessions/s1.jsonl', 'read'],
  ['.gemini/tmp/project/shell_history', 'transcript_refused'],
  ['.gemini/tmp/chats', 'transcript_refused'],
  ['.local/share/opencode/auth.json', 'transcript_refused'],
  ['.openclaw/agents/main/agent/auth-profiles.json', 'transcript_refused'],
  ['.claude/.credentials.json', 'transcript_refused'],
])(
  "of the programs' own folders transcripts are read and nothing beside them: %s",
  (name, wanted) =>
    withFolder(async (folder) => {
      const home = realpathSync(folder);
      const roots = transcriptRoots(home, join(home, 'staging'), []);
      const path = join(home, name);
      const read = () => outcomeOf(path, roots);
      const nowhereYet = wanted === 'read' ? 'missing' : wanted;
      // In a program's very first session nothing of all this is there.
      expect(await read()).toBe(nowhereYet);
      mkdirSync(dirname(path), { recursive: true });
      expect(await read()).toBe(nowhereYet);
      writeFileSync(path, 'key');
      expect(await read()).toBe(wanted);
    }),
);

test("of Signet's staging transcripts are read where it is the own user's, and no link", () =>
  withFolder(async (folder) => {
    expect(signetFolder).toBe('/tmp/signet');
    const home = realpathSync(folder);
    const [own, link, taken] = ['own', 'link', 'taken'].map((name) => join(home, name));
    for (const made of [own!, taken!]) {
      mkdirSync(made);
      writeFileSync(join(made, 's1.jsonl'), 'words');
    }
    symlinkSync(own!, link!);
    const isRoot = process.getuid!() === 0;
    if (isRoot) chownSync(taken!, 1, 1);
    const read = (shared: string, path: string) =>
      outcomeOf(path, transcriptRoots(home, join(home, 'staging'), [], shared));
    expect(await read(own!, join(own!, 's1.jsonl'))).toBe('read');
    expect(await read(link!, join(link!, 's1.jsonl'))).toBe('transcript_refused');
    // Nobody but root makes a folder somebody else's; for all others /etc is one.
    const foreign = isRoot ? join(taken!, 's1.jsonl') : '/etc/passwd';
    expect(await read(dirname(foreign), foreign)).toBe('transcript_refused');
    const none = join(home, 'none');
    expect(await read(none, join(none, 's1.jsonl'))).toBe('transcript_refused');
  }));

const outcomeOf = (path: string, roots: readonly TranscriptRoot[]) =>
  readTranscript(path, roots, null).then(
    (given) => (given === null ? 'missing' : 'read'),
    (error: AppError) => error.code,
  );
