/**
 * The order of the files: those that take longest begin first, so that a run does not end with one core
 * at rest. Jest knows this only after a run in the same folder, and a fresh clone has had none.
 */
import Sequencer from '@jest/test-sequencer';

/** Seconds, as jest said them on two cores. What takes less than ten need not be here. */
export const longFiles = {
  'test/faults/server-walk.test.ts': 105,
  'test/e2e/overload.test.ts': 83,
  'test/e2e/remote-host.test.ts': 82,
  'test/e2e/away-and-back.test.ts': 65,
  'test/e2e/demo.test.ts': 64,
  'test/e2e/api-fuzz.test.ts': 48,
  'test/e2e/crash-server.test.ts': 39,
  'test/e2e/full-disk.test.ts': 36,
  'test/e2e/crash-together.test.ts': 35,
  'test/e2e/crash-callbacks.test.ts': 33,
  'test/e2e/surfaces-cli.test.ts': 33,
  'test/launcher/launch.test.ts': 30,
  'test/workflows/reconciliation.test.ts': 30,
  'test/e2e/crash-down.test.ts': 28,
  'test/e2e/damaged-store.test.ts': 28,
  'test/api/foreign-pairs.test.ts': 27,
  'test/launcher/start-detached.test.ts': 26,
  'test/e2e/crash-lease.test.ts': 25,
  'test/e2e/crash-engine.test.ts': 24,
  'test/e2e/hooks-crash.test.ts': 21,
  'test/search/busy-store.test.ts': 20,
  'test/e2e/limits.test.ts': 18,
  'test/e2e/restore.test.ts': 18,
  'test/workflows/reconciliation-ahead.test.ts': 18,
  'test/workflows/longest-request.test.ts': 17,
  'test/workflows/random-lives.test.ts': 17,
  'test/e2e/crash-host.test.ts': 16,
  'test/e2e/engine-replaced.test.ts': 16,
  'test/operations/hooks/conversation.test.ts': 16,
  'test/e2e/control.test.ts': 15,
  'test/e2e/copied-store.test.ts': 14,
  'test/worker/flush-left-spools.test.ts': 14,
  'test/e2e/seeing-it-work.test.ts': 12,
  'test/engine/find-binary.test.ts': 12,
  'test/store/checkpoint.test.ts': 12,
  'test/domain/redact.test.ts': 11,
  'test/runners/output.test.ts': 11,
  'test/e2e/endings.test.ts': 10,
  'test/e2e/engine-story.test.ts': 10,
  'test/worker/keep-in-touch.test.ts': 10,
  'test/workflows/ended-early.test.ts': 10,
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const seconds = ({ path, context }) =>
      longFiles[path.slice(context.config.rootDir.length + 1)] ?? 0;
    return [...super.sort(tests)].sort((a, b) => seconds(b) - seconds(a));
  }
}
