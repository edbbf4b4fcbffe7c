/** What `up`, `down` and `status` need of the launcher. */
export { describeEvent, type LauncherEvent } from './events.ts';
export { launch, type Launcher, type LaunchOptions } from './launch.ts';
export { makeHome } from './make-home.ts';
export { obeySignals } from './obey-signals.ts';
export { requireStartable } from './require-startable.ts';
export { settledHealth } from './server-health.ts';
export { startDetached } from './start-detached.ts';
export { launcherStatus, stopLauncher } from './stop-launcher.ts';
