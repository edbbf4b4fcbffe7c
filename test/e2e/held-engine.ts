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
}

/** `name` is the test file's own: others run beside it. */
export async function heldEngine(name: string): Promise<HeldEngine> {
  const { path } = await testBinary();
  const held = join(tmpdir(), `hold-engine-${name}`);
  const wrapper = join(tmpdir(), `temporal-on-hold-${name}`);
  const script = [
    '#!/bin/sh',
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
  };
}
