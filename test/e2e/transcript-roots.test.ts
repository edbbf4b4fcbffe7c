/** Where the server itself lets a hook name a transcript: what its configuration says, and its home's staging. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { AppError } from '../../contract/errors.ts';
import { homePaths } from '../../contract/home.ts';
import { withFolder } from '../support/folder.ts';
import { withLoneServer } from './lone-server.ts';

test(
  'the server reads transcripts below the folders of its configuration and its staging, and nowhere else',
  () =>
    withFolder(async (given) => {
      const folder = realpathSync(given);
      const lay = (path: string) => {
        mkdirSync(join(path, '..'), { recursive: true });
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
        expect(await read('outside', outside)).toBe('transcript_refused');
        expect(await read('link', link)).toBe('transcript_refused');
        // What is written into the file counts from then on.
        writeFileSync(join(home, 'config.json'), JSON.stringify({ hooks: {} }));
        expect(await read('closed', inside)).toBe('transcript_refused');
      });
    }),
  30_000,
);
