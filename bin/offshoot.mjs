#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error(
    'Offshoot is not built yet. Run `npm ci`, or `npm run build` where it is installed.',
  );
  process.exitCode = 1;
}
