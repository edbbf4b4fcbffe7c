/**
 * Where the server itself lets a hook name a transcript: in the folders of the user's programs, in what its configuration
 * says, in its home's staging and in Signet's.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { AppError } from '../../contract/errors.ts';
import { homePaths } from '../../contract/home.ts';
import { signetFolder } from '../../operations/hooks/transcript-roots.ts';
import { withFolder } from '../support/folder.ts';
import { withLoneServer } from './lone-server.ts';

test(
  "the server reads transcripts below the folders of its user's programs, of its configuration and of staging, and nowhere else",
  () =>
    withFolder(async (given) => {
      const folder = realpathSync(given);
      const lay = (path: string) => {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, `User: from ${path}\n`);
        return path;
      };
      const inside = lay(join(folder, 'allowed', 'deep', 's.txt'));
      const outside = lay(join(folder, 'beside', 's.txt'));
      const link = join(folder, 'allowed', 'link.txt');
      symlinkSync(outside, link);
      const config = { hooks: { transcriptRoots: [join(folder, 'allowed')] } };
      await withLoneServer({ config, env: { HOME: folder } }, async ({ home, client }) => {
        const read = async (sessionKey: string, transcriptPath: string) => {
          const hook = { harness: 'codex', sessionKey, transcriptPath };
          try {
            await client.call('hookSessionEnd', hook);
          } catch (error) {
            return (error as AppError).code;
          }
          return (await client.call('getSessionTranscript', { key: sessionKey })).content;
        };
        const staged = lay(join(homePaths(home).staging, 's.txt'));
        expect(await read('inside', inside)).toBe(`User: from ${inside}`);
        expect(await read('staged', staged)).toBe(`User: from ${staged}`);
        // The user's own folder is HOME; the home is another one.
        for (const [n, name] of programTranscripts.entries()) {
          const path = lay(join(folder, name));
          expect(await read(`program-${n}`, path)).toBe(`User: from ${path}`);
          const beside = lay(join(home, name));
          expect(await read(`home-${n}`, beside)).toBe('transcript_refused');
        }
        await withSignetFolder(async (shared) => {
          const path = lay(join(shared, 's.txt'));
          expect(await read('signet', path)).toBe(`User: from ${path}`);
        });
        const secret = lay(join(folder, '.claude', 's.txt'));
        expect(await read('secret', secret)).toBe('transcript_refused');
        expect(await read('outside', outside)).toBe('transcript_refused');
        expect(await read('link', link)).toBe('transcript_refused');
        // What is written into the file counts from then on.
        writeFileSync(join(home, 'config.json'), JSON.stringify({ hooks: {} }));
        expect(await read('closed', inside)).toBe('transcript_refused');
      });
    }),
  30_000,
);

const programTranscripts = [
  '.claude/projects/-repo/s.txt',
  '.codex/sessions/2026/11/20/s.txt',
  '.gemini/tmp/project/chats/s.txt',
  '.local/share/opencode/storage/message/s/s.txt',
  '.copilot/session-state/s/s.txt',
  '.openclaw/agents/main/sessions/s.txt',
];

/** A folder of its own in the one that is everybody's; that one is made if need be, and then goes again. */
async function withSignetFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const made = mkdirSync(signetFolder, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(signetFolder, 'test-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (made !== undefined && readdirSync(signetFolder).length === 0) rmdirSync(signetFolder);
  }
}
