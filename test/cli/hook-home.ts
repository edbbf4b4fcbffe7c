/** A home with a server that is told hooks, as `offshoot hook` tells them. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runHook, type HookOutput } from '../../cli/hook/run-hook.ts';
import { withFakeServer, type Answer, type FakeServer } from '../client/fake-server.ts';
import { withFolder } from '../support/folder.ts';

export const noVariables = { home: null, url: null, token: null, noHooks: null };

export interface HookHome {
  folder: string;
  server: FakeServer;
  /** One hook of a program whose stdin is this. */
  hook(stdin: unknown, more?: Partial<Parameters<typeof runHook>[0]>): Promise<HookOutput>;
  spooled(): string[];
}

export function argsFor(event: string) {
  return { args: [event, '--harness', 'claude-code'] };
}

export const base = {
  ...argsFor('UserPromptSubmit'),
  environment: noVariables,
  now: () => Date.parse('2026-11-18T00:00:00Z'),
  signal: new AbortController().signal,
  // Where it is not what a test is about, a busy machine has time.
  answerMs: 20_000,
};

export function withHookHome(
  answer: Answer,
  use: (home: HookHome) => Promise<void>,
): Promise<void> {
  return withFolder((folder) =>
    withFakeServer(answer, async (server) => {
      const tokenFile = join(folder, 'token');
      writeFileSync(tokenFile, 'the-token\n');
      writeFileSync(join(folder, 'server.json'), JSON.stringify({ url: server.url, tokenFile }));
      await use({
        folder,
        server,
        hook: (stdin, more) => {
          const text = typeof stdin === 'string' ? stdin : JSON.stringify(stdin);
          const bytes = Readable.from(text === '' ? [] : [Buffer.from(text)]);
          return runHook({ ...base, home: folder, stdin: bytes, ...more });
        },
        spooled: () => jsonFilesIn(join(folder, 'spool', 'hooks')),
      });
    }),
  );
}

function jsonFilesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}
