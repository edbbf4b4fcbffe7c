/** The life of a launcher that nobody watches: what it does goes to its log, why it failed to a file. */
import { homePaths } from '../contract/home.ts';
import { writeFailure } from './failure-file.ts';
import type { Log } from '../contract/log.ts';
import { describeEvent, levelOf, type LauncherEvent } from './events.ts';
import type { Launcher } from './launch.ts';
import { LookedAfter } from './launcher-file.ts';
import { obeySignals } from './obey-signals.ts';
import { HomeGone } from './own-home.ts';

/** Answers the exit code. */
export async function runLauncher(
  { home, log }: { home: string; log: Log },
  start: (onEvent: (event: LauncherEvent) => void) => Promise<Launcher>,
): Promise<number> {
  let isReady = false;
  try {
    const launcher = await start((event) => {
      isReady ||= event.type === 'ready';
      // What keeps it from coming up is its last line, written once.
      if (event.type !== 'gave_up' || isReady) log(describeEvent(event), { level: levelOf(event) });
    });
    obeySignals(launcher);
    const error = await launcher.finished;
    if (error !== null) throw error;
    return 0;
  } catch (error) {
    // First the file, then the line: whoever follows the log finds the reason and need not tell it twice.
    // A home that is gone is not made again for it.
    const isOthers = error instanceof LookedAfter || error instanceof HomeGone;
    if (!isOthers) writeFailure(homePaths(home).failureFile, error);
    log(error instanceof Error ? error.message : String(error), { level: 'error' });
    return 1;
  }
}
