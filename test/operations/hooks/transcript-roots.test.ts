import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { AppError } from '../../../contract/errors.ts';
import { readTranscript } from '../../../operations/hooks/read-transcript.ts';
import { isOwnFolder, transcriptRoots } from '../../../operations/hooks/transcript-roots.ts';
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
      const read = () =>
        readTranscript(path, roots, null).then(
          (given) => (given === null ? 'missing' : 'read'),
          (error: AppError) => error.code,
        );
      mkdirSync(dirname(path), { recursive: true });
      expect(await read()).toBe(wanted === 'read' ? 'missing' : wanted);
      writeFileSync(path, 'key');
      expect(await read()).toBe(wanted);
    }),
);

test("a shared folder counts only as the own user's, and not as a link", () =>
  withFolder(async (home) => {
    mkdirSync(join(home, 'own'));
    symlinkSync(join(home, 'own'), join(home, 'link'));
    expect(['own', 'link', 'none'].map((name) => isOwnFolder(join(home, name)))).toEqual([
      true,
      false,
      false,
    ]);
    expect(isOwnFolder('/proc/1')).toBe(process.getuid!() === 0);
  }));
