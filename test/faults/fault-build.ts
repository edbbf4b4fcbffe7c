/** The build in which every fault point is armed. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { changedBuild } from '../support/changed-build.ts';

const armedReach = fileURLToPath(new URL('armed-reach.mjs', import.meta.url));

export const faultBuild = () =>
  changedBuild({
    name: 'faults',
    file: 'faults/reach.js',
    content: () => readFileSync(armedReach, 'utf8'),
  });
