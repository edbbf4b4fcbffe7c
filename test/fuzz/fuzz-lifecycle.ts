import { join } from 'node:path';
import * as fc from 'fast-check';
import { drain } from './drain.ts';
import { happenings } from './commands.ts';
import { openStore } from '../../store/index.ts';
import { withFolder } from '../support/folder.ts';
import { World } from './world.ts';

const COMMANDS_MAX = 120;

/** On failure fast-check says seed and path, and the shortest list of happenings that still fails. */
export async function fuzzLifecycle(options: { seed: number; numRuns: number }): Promise<void> {
  await withFolder(async (folder) => {
    const template = join(folder, 'main.db');
    await openStore(template, { checkpoints: false }).close();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.commands(happenings, { maxCommands: COMMANDS_MAX, size: 'max' }),
        (slots, commands) => live(template, slots, commands),
      ),
      options,
    );
  });
}

async function live(
  template: string,
  slots: number,
  commands: Iterable<fc.AsyncCommand<object, World>>,
): Promise<void> {
  const world = new World(template);
  try {
    await world.begin(slots);
    await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
    const sentences = await drain(world);
    if (sentences.length > 0) throw new Error(`after the drain:\n${sentences.join('\n')}`);
  } finally {
    await world.end();
  }
}
