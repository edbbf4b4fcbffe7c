#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A hook holds up the user at every prompt: it is one file, without the rest of the command line.
const [command, ...args] = process.argv.slice(2);
const isHook = command === 'hook' && !args.some((arg) => arg === '-h' || arg === '--help');
const main = new URL(`../dist/${isHook ? 'hook' : 'cli/main'}.js`, import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('Offshoot is not built yet. Run `node scripts/setup.mjs` in its folder.');
  process.exitCode = isHook ? 0 : 1;
}
