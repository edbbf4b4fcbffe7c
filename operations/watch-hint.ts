import type { Change } from '../store/index.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';

/** Remembers that something happened since the last look, and wakes a waiting reader. */
export function createHint(deps: Deps, caller: Caller, concerns: (change: Change) => boolean) {
  let isDirty = false;
  let wake: (() => void) | null = null;
  const stir = () => {
    isDirty = true;
    wake?.();
  };
  const stopListening = deps.store.changes.listen((change) => {
    if (concerns(change)) stir();
  });
  caller.gone.addEventListener('abort', stir, { once: true });
  return {
    async next() {
      if (!isDirty) await new Promise<void>((resolve) => (wake = resolve));
      isDirty = false;
      wake = null;
    },
    close() {
      stopListening();
      caller.gone.removeEventListener('abort', stir);
    },
  };
}
