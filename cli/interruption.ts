/** Ctrl-C while a sub-agent is waited for: on a terminal a person is asked, elsewhere it goes on. */
import type { CliDeps } from './deps.ts';

export type Choice = 'leave' | 'cancel';

export interface Interruption {
  /** Resolves when Ctrl-C was pressed and answered. */
  choice: Promise<Choice>;
  isAsking: () => boolean;
  /** Takes the question back, and listens no more. */
  forget: () => void;
}

/** Without an id there is no question: then Ctrl-C always leaves. */
export function interruption(
  deps: Pick<CliDeps, 'input' | 'err' | 'onInterrupt'>,
  id: string | null,
): Interruption {
  const over = new AbortController();
  let isAsked = false;
  const choice = new Promise<Choice>((resolve) => {
    const stopListening = deps.onInterrupt(() => {
      // A person who presses it again wants to be gone, and harms nothing by it.
      if (isAsked) deps.err.write('\n');
      if (isAsked || id === null || !canAsk(deps)) return resolve('leave');
      isAsked = true;
      void ask(deps, id, over.signal).then(resolve);
    });
    over.signal.addEventListener('abort', stopListening);
  });
  return { choice, isAsking: () => isAsked && !over.signal.aborted, forget: () => over.abort() };
}

async function ask(
  { input, err }: Pick<CliDeps, 'input' | 'err'>,
  id: string,
  signal: AbortSignal,
): Promise<Choice> {
  err.write('\n');
  for (;;) {
    const answer = await input.ask(`${id} is running: [l]eave it running or [c]ancel it? `, signal);
    if (answer === null || /^\s*l/i.test(answer)) return 'leave';
    if (/^\s*c/i.test(answer)) return 'cancel';
  }
}

function canAsk({ input, err }: Pick<CliDeps, 'input' | 'err'>): boolean {
  return input.isTerminal && err.isTerminal;
}
