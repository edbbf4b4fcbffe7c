import type { RuntimePath } from '../contract/words.ts';
import type { TraceContext } from '../contract/trace.ts';
import type { TokenClaims } from '../domain/token.ts';

/** Who asks, as the edge found out. Claims come from the token; the rest is what the request says. */
export interface Caller {
  claims: TokenClaims;
  /** `X-Agent-Session-Id`: a claim, checked against token and store. */
  parentSessionId: string | null;
  idempotencyKey: string | null;
  /** The way that a hook took, by its header. */
  runtimePath: RuntimePath | null;
  /** It was kept while no server was there: nobody reads what this hook is answered. */
  isLateHook: boolean;
  /** The span in which it asks, if it said so. */
  trace: TraceContext | null;
  /** Aborted when the caller has gone. A disconnect ends a wait; it is not a cancel. */
  gone: AbortSignal;
}
