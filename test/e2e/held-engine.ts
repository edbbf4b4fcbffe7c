/** An engine that, when it is started, does not get up for as long as a test holds it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testBinary } from '../support/test-engine.ts';

export interface HeldEngine {
  /** For the stack that is to start it. */
  env: { OFFSHOOT_TEMPORAL_BIN: string };
  /** A start hangs, or ends at once with exit code 1. */
  hold(how?: 'hangs' | 'ends'): void;
  release(): void;
  /** How often one was started. */
  starts(): number;
  /** From its next start on it says that its server has this version; null: its own again. */
  pretend(server: string | null): void;
}

/** `name` is the test file's own: others run beside it. */
export async function heldEngine(name: string): Promise<HeldEngine> {
  const { path, version } = await testBinary();
  const held = join(tmpdir(), `hold-engine-${name}`);
  const wrapper = join(tmpdir(), `temporal-on-hold-${name}`);
  const starts = join(tmpdir(), `engine-starts-${name}`);
  const said = join(tmpdir(), `engine-version-${name}`);
  const script = [
    '#!/bin/sh',
    `[ "$1" = --version ] && [ -e ${said} ] && exec cat ${said}`,
    // Else its launcher, which asks that first, would soon take another binary.
    `[ "$1" = --version ] && exec ${path} --version`,
    `echo start >> ${starts}`,
    `while [ -e ${held} ]; do [ "$(cat ${held})" = ends ] && exit 1; sleep 0.05; done`,
    `exec ${path} "$@"`,
  ].join('\n');
  writeFileSync(wrapper, script, { mode: 0o755 });
  return {
    env: { OFFSHOOT_TEMPORAL_BIN: wrapper },
    hold: (how = 'hangs') => writeFileSync(held, how),
    release: () => rmSync(held),
    pretend(server) {
      if (server === null) rmSync(said);
      else writeFileSync(said, `temporal version ${version.cli} (Server ${server}, UI 2.50.1)\n`);
    },
    starts: () => readFileSync(starts, 'utf8').trim().split('\n').length,
  };
}
