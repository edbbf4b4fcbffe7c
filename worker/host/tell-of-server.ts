/** What a person who has started a runner host is told of its server: a line when there is something new. */
import { AppError } from '../../contract/errors.ts';
import type { Trouble } from './insist.ts';

/** A server that is only a moment late is not worth a line; a person who waits for one looks at nothing. */
const UNHEARD_MS = 2000;

export interface TellDeps {
  url: string;
  /** Said whenever it is connected, after an absence anew. */
  connected(): string;
  say(line: string): void;
  /** Tests are less patient. */
  unheardMs?: number;
}

export interface ServerTold extends Trouble {
  /** A question goes out: a network that swallows it says nothing by which that could be noticed. */
  asks(): void;
}

export function tellOfServer({
  url,
  connected,
  say,
  unheardMs = UNHEARD_MS,
}: TellDeps): ServerTold {
  let isConnected = false;
  let timer: NodeJS.Timeout | null = null;
  let why = 'does not answer';

  function tell(): void {
    isConnected = false;
    say(`the server at ${url} ${why}; trying again`);
  }
  function asks(): void {
    timer ??= setTimeout(tell, unheardMs).unref();
  }
  return {
    asks,
    lasts(error) {
      why = reasonOf(error);
      asks();
    },
    over() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (!isConnected) say(connected());
      isConnected = true;
    },
  };
}

/** `fetch` keeps what is worth knowing in the cause of what it says. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return `does not take this host (${error.message})`;
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return `does not answer (${cause?.code ?? cause?.message ?? String(error)})`;
}
