/** Repeats what failed because the server is away for a moment: it restarts, and kills no agent by it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../contract/errors.ts';
import { ProblemError } from './problem-error.ts';

const pauseFirstMs = 100;
/** Often enough that a server that is back is noticed at once by a person. */
const pauseMaxMs = 2_000;
/** A server that held a call for this long was there: what drops calls at once is not. */
const heldMsMin = 1_000;

export interface RetryOptions {
  retryMs: number;
  onRetry?: (away: { url: string; sinceMs: number; retryMs: number }) => void;
}

interface Target {
  url: string;
  retry: RetryOptions;
}

export async function withRetries<T>(
  { url, retry }: Target,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  let awaySince: number | null = null;
  let mayBeTaken = false;
  for (let pauseMs = pauseFirstMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
    const begunAt = performance.now();
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      mayBeTaken ||= !hasNotArrived(error);
      if (!isPassing(error)) {
        throw isConnectionError(error) ? unavailable(url, error, mayBeTaken) : error;
      }
      // A call that waits for hours may see many restarts. Each is an absence of its own.
      if (wasHeld(error) && performance.now() - begunAt > heldMsMin) {
        awaySince = null;
        pauseMs = pauseFirstMs;
      }
      // Counted from the first failure: an attempt may rightly have lasted longer than the patience.
      awaySince ??= performance.now();
      const sinceMs = performance.now() - awaySince;
      if (sinceMs + pauseMs > retry.retryMs) throw unavailable(url, error, mayBeTaken);
      retry.onRetry?.({ url, sinceMs, retryMs: retry.retryMs });
      await sleep(pauseMs, undefined, signal ? { signal } : {});
    }
  }
}

/** Refused, reset, closed, silent, or 503. All else is an answer, and asking again will not mend it. */
function isPassing(error: unknown): boolean {
  if (error instanceof ProblemError) {
    return error.status === 503 && !lasting.has(error.problem.code);
  }
  if (isNamed(error, 'TimeoutError')) return true;
  return passing.has(connectionCode(error));
}

/** A 503 that says something about the request, not about the server being away. */
const lasting = new Set(['capacity', 'engine_unavailable', 'search_unavailable']);

/** Broken while it was open, or answered: not refused, and not silent. */
function wasHeld(error: unknown): boolean {
  return error instanceof ProblemError || broken.has(connectionCode(error));
}

/** Never sent, or refused by the server itself: nothing was done for it. A proxy's 502 does not say. */
function hasNotArrived(error: unknown): boolean {
  if (error instanceof ProblemError) return error.code !== 'server_unavailable';
  return unsent.has(connectionCode(error));
}

const unsent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const broken = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET']);
const passing = new Set([
  ...broken,
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** `fetch` throws a TypeError; what really happened is the code of its cause. */
function connectionCode(error: unknown): string {
  const cause = isConnectionError(error) ? (error as Error).cause : null;
  return isObject(cause) && 'code' in cause ? String(cause['code']) : '';
}

/** Judged by name: an error may come from another realm, whose TypeError is not ours. */
export function isConnectionError(error: unknown): boolean {
  if (!isNamed(error, 'TypeError')) return false;
  return ['fetch failed', 'terminated'].includes((error as Error).message);
}

function isNamed(error: unknown, name: string): boolean {
  return isObject(error) && error['name'] === name;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The server stays away after it was reached: what was asked for may have been done. */
export class LostAnswer extends AppError {}

function unavailable(url: string, cause: unknown, mayBeTaken: boolean): AppError {
  const why = connectionCode(cause);
  const message = `The server at ${url} does not answer${why === '' ? '' : ` (${why})`}.`;
  const hint = 'Start it with `offshoot up`; `offshoot doctor` says what is wrong.';
  if (mayBeTaken) return new LostAnswer('server_unavailable', message, { cause, hint });
  if (cause instanceof ProblemError) return cause;
  return new AppError('server_unavailable', message, { cause, hint });
}

/** Lets `work` fail with `hint` where its server stays away: with how to find again what goes on there. */
export async function findableBy<T>(
  hint: string,
  work: Promise<T>,
  isMeant = (error: AppError) => error.code === 'server_unavailable',
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || !isMeant(error)) throw error;
    throw new AppError(error.code, error.message, { cause: error, hint });
  }
}
