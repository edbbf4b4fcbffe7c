/** An engine that, when it is started, does not get up for as long as a test holds it. */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testBinary } from '../support/test-engine.ts';

export interface HeldEngine {
  /** For the stack that is to start it. */
  env: { OFFSHOOT_TEMPORAL_BIN: string };
  hold(): void;
  release(): void;
  /** From its next start on it says that its server has this version; null: its own again. */
  pretend(server: string | null): void;
}

/** `name` is the test file's own: others run beside it. */
export async function heldEngine(name: string): Promise<HeldEngine> {
  const { path, version } = await testBinary();
  const held = join(tmpdir(), `hold-engine-${name}`);
  const wrapper = join(tmpdir(), `temporal-on-hold-${name}`);
  const said = join(tmpdir(), `engine-version-${name}`);
  const script = [
    '#!/bin/sh',
    `[ "$1" = --version ] && [ -e ${said} ] && exec cat ${said}`,
    // Else its launcher, which asks that first, would soon take another binary.
    `[ "$1" = --version ] && exec ${path} --version`,
    `while [ -e ${held} ]; do sleep 0.05; done`,
    `exec ${path} "$@"`,
  ].join('\n');
  writeFileSync(wrapper, script, { mode: 0o755 });
  return {
    env: { OFFSHOOT_TEMPORAL_BIN: wrapper },
    hold: () => writeFileSync(held, ''),
    release: () => rmSync(held),
    pretend(server) {
      if (server === null) rmSync(said);
      else writeFileSync(said, `temporal version ${version.cli} (Server ${server}, UI 2.50.1)\n`);
    },
  };
}
