/** The runner host's side of the store API. */
import { anySignal } from '../../contract/any-signal.ts';
import { AppError, isRequestErrorCode } from '../../contract/errors.ts';
import {
  claimAnswerSchema,
  helloAnswerSchema,
  reportAnswerSchema,
  storeApiPaths,
  syncAnswerSchema,
  type ClaimAnswer,
  type ClaimRequest,
  type HelloAnswer,
  type HelloRequest,
  type ReportAnswer,
  type ReportRequest,
  type SyncAnswer,
  type SyncRequest,
} from '../../contract/store-api.ts';

export interface StoreApi {
  hello(request: HelloRequest): Promise<HelloAnswer>;
  sync(request: SyncRequest, signal: AbortSignal): Promise<SyncAnswer>;
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  report(request: ReportRequest): Promise<ReportAnswer>;
}

export interface ServerAddress {
  url: string;
  token: string;
}

interface Problem {
  code?: string;
  detail?: string;
  hint?: string | null;
}

/** Longer than any answer but a long poll takes; a server that is silent for so long is away. */
const ANSWER_MS = 15_000;
/** Beyond its own waiting. The next poll is to come before the server takes this host for silent. */
const POLL_ANSWER_MS = 5000;

/** `server` is asked at every call: the server may have come back elsewhere. */
export function createStoreApi(server: () => ServerAddress): StoreApi {
  async function post(path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    const { url, token } = server();
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
      signal,
    });
    if (response.ok) return response.json();
    const problem = (await response.json().catch(() => null)) as Problem | null;
    // Somebody on the way to our server, which it says nothing about: it may be there in a moment.
    if (problem?.code === undefined) throw new Error(`${path} answered ${response.status}`);
    throw new AppError(
      isRequestErrorCode(problem.code) ? problem.code : 'internal',
      problem.detail ?? `${path} answered ${response.status}`,
      problem.hint ? { hint: problem.hint } : {},
    );
  }
  const soon = () => AbortSignal.timeout(ANSWER_MS);

  return {
    hello: async (request) =>
      helloAnswerSchema.parse(await post(storeApiPaths.hello, request, soon())),
    sync: async (request, signal) => {
      const patience = AbortSignal.timeout(request.waitSeconds * 1000 + POLL_ANSWER_MS);
      const both = anySignal([signal, patience]);
      return syncAnswerSchema.parse(await post(storeApiPaths.sync, request, both));
    },
    claim: async (request) =>
      claimAnswerSchema.parse(await post(storeApiPaths.claim, request, soon())),
    report: async (request) =>
      reportAnswerSchema.parse(await post(storeApiPaths.report, request, soon())),
  };
}

/**
 * The server said no for good: asking again changes nothing. All else may pass, a refused token
 * included: the port of a server that is away may have gone to another home's.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && lasting.has(error.code);
}

const lasting = new Set<string>(['stale_claim', 'bad_request', 'body_too_large', 'not_found']);

/** This host is not wanted, or this is not its server: somebody has to look. */
export function isTurnedAway(error: unknown): boolean {
  return (
    error instanceof AppError && ['unauthorized', 'forbidden', 'bad_host'].includes(error.code)
  );
}

/** The run, or this boot, is not known to the store. */
export function isUnknownRun(error: unknown): boolean {
  return error instanceof AppError && error.code === 'stale_claim';
}
