/** Which events `offshoot hook` knows. In a home without a server: what is an event is kept there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { runHook } from '../../cli/hook/run-hook.ts';
import { withFolder } from '../support/folder.ts';

const hook = (name: string, harness: string) =>
  withFolder(async (home) => {
    const told = await runHook({
      args: [name, '--harness', harness],
      stdin: Readable.from([Buffer.from('{"session_id": "s"}')]),
      environment: { home: null, url: null, token: null, noHooks: null },
      home,
      now: () => Date.parse('2026-11-18T00:00:00Z'),
      signal: new AbortController().signal,
    });
    return { ...told, isKept: existsSync(join(home, 'spool')) };
  });

const ofOthers =
  '; own names are known of claude-code, codex, gemini-cli, opencode, copilot-cli, openclaw, not of';

test.each([
  ['sesion-start', 'claude-code', ", and claude-code's own names"],
  ['sesion-start', 'my-own', `${ofOthers} "my-own"`],
  ['SessionStart', 'my-own', `${ofOthers} "my-own"`],
  // A program's name that is mistyped.
  ['SessionStart', 'claud', `${ofOthers} "claud"`],
])('of %s, which is no event of %s, the events are told', async (name, harness, own) => {
  expect(await hook(name, harness)).toEqual({
    out: '',
    err: `offshoot hook: there is no event "${name}"; there are session-start, user-prompt-submit, session-end, pre-compaction, compaction-complete, session-checkpoint-extract, subagent-start, subagent-stop, stop${own}\n`,
    isKept: false,
  });
});

test.each([
  ['Notification', 'claude'],
  ['tool.execute.before', 'opencode'],
  ['before_tool_call', 'openclaw'],
  ['preToolUse', 'copilot'],
  // One of ours that lacks what it must have.
  ['compaction-complete', 'claude-code'],
  ['compaction-complete', 'my-own'],
])('%s of %s says nothing to us: it is passed over', async (name, harness) => {
  expect(await hook(name, harness)).toEqual({ out: '', err: '', isKept: false });
});

test.each([
  ['session-start', 'claude-code'],
  ['SessionStart', 'claude-code'],
  ['session-start', 'my-own'],
])('%s of %s is one that is kept', async (name, harness) => {
  expect(await hook(name, harness)).toMatchObject({ isKept: true });
});
