/** The seed's `SubAgentSessionManager`, over the HTTP API. */
import { AppError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import type { OperationInput, OperationOutput } from '../contract/operations.ts';
import type { ExecutionMode, Status } from '../contract/words.ts';
import type { CallOptions } from './client.ts';
import type { EventOptions, SubAgentEvent } from './events.ts';
import { managerConnection, type Connect, type ManagerOptions } from './manager-connection.ts';
import {
  toSession,
  toTranscriptTurn,
  type SessionContext,
  type SubAgentSession,
  type TranscriptTurn,
} from './sub-agent-session.ts';

export type { ManagerOptions } from './manager-connection.ts';

/** `list` and `getSpecHistory` bring at most this many, the newest; `until` reaches older ones. */
const listMax = 10_000;

/** Here as everywhere, null for what may be left out is as if it were not there. */
export interface WaitOptions {
  /** No end without it. */
  waitSeconds?: number | null;
  signal?: AbortSignal;
}
export interface SendOptions extends WaitOptions {
  executionMode?: ExecutionMode | null;
  idempotencyKey?: string | null;
}
export interface InvokeOptions extends SendOptions {
  /** Session key of who asks; null for nobody. Default: the manager's, else as the environment says. */
  parentSessionId?: string | null;
  title?: string | null;
  /** Goes on when its parent's work ends otherwise than completed. */
  detached?: boolean | null;
  limits?: {
    maxDepth?: number | null;
    maxChildren?: number | null;
    wallSeconds?: number | null;
  } | null;
}
export interface ListFilter {
  runnerId?: string | null;
  status?: Status | null;
  /** Created then or later. */
  since?: Date | null;
  /** Created before then. */
  until?: Date | null;
  executionMode?: ExecutionMode | null;
  specId?: string | null;
  parentSessionId?: string | null;
  rootSessionId?: string | null;
  /** At most this many. Default and maximum: 10,000. */
  limit?: number | null;
}

export class SubAgentSessionManager {
  readonly #connect: Connect;

  /** With nothing given it finds the server as the command line does. Nothing is asked before the first call. */
  constructor(options: ManagerOptions = {}) {
    this.#connect = managerConnection(options);
  }

  /** SYNC (default): resolves when the sub-agent has ended, well or not. Other modes: once it is accepted. */
  async invoke(
    runnerId: string,
    prompt: string,
    context: SessionContext = {},
    options: InvokeOptions = {},
  ): Promise<SubAgentSession> {
    const { signal, idempotencyKey, parentSessionId, ...request } = options;
    const { client, parent } = await this.#connect();
    const asker = parentSessionId === undefined ? await parent() : parentSessionId;
    const input = { runnerId, prompt, context, ...request };
    const call = { ...callOptions({ signal, idempotencyKey }), parentSessionId: asker };
    return toSession(await client.call('runSubagent', input, call));
  }

  /** Null when there is none of that id. */
  async get(id: string): Promise<SubAgentSession | null> {
    const { client } = await this.#connect();
    try {
      return toSession(await client.call('getSubagent', { id }));
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }

  /** Newest first, at most 10,000. */
  async list({ since, until, limit, ...filter }: ListFilter = {}): Promise<SubAgentSession[]> {
    const { client } = await this.#connect();
    const times = {
      ...(since ? { since: since.toISOString() } : {}),
      ...(until ? { until: until.toISOString() } : {}),
    };
    return collect(limit, (page) => client.call('listSubagents', { ...filter, ...times, ...page }));
  }

  /** All that was run for a spec, children included, newest first, at most 10,000. */
  async getSpecHistory(specId: string): Promise<SubAgentSession[]> {
    const { client } = await this.#connect();
    return collect(undefined, (page) => client.call('getSpecHistory', { specId, ...page }));
  }

  /** Resolves when it has ended, or as it is when `waitSeconds` are over. */
  async wait(id: string, options: WaitOptions = {}): Promise<SubAgentSession> {
    const { client } = await this.#connect();
    const { signal, ...wait } = options;
    const answer = await client.call(
      'waitSubagents',
      { ids: [id], ...wait },
      callOptions({ signal }),
    );
    const record = answer.done[0] ?? answer.open[0];
    if (record) return toSession(record);
    throw new AppError('not_found', `There is no sub-agent ${id}.`);
  }

  /** Cancels it with all that it has asked for. What has ended already stays as it is. */
  async cancel(id: string, reason?: string | null): Promise<SubAgentSession> {
    const { client } = await this.#connect();
    const input = { id, ...(reason === undefined ? {} : { reason }) };
    return toSession(await client.call('cancelSubagent', input));
  }

  /** A further message to its session: a new invocation. ASYNC_POLL unless another mode is asked for. */
  async send(id: string, prompt: string, options: SendOptions = {}): Promise<SubAgentSession> {
    const { signal, idempotencyKey, ...request } = options;
    const { client, parent } = await this.#connect();
    const call = { ...callOptions({ signal, idempotencyKey }), parentSessionId: await parent() };
    return toSession(await client.call('sendToSubagent', { id, prompt, ...request }, call));
  }

  /** Its transcript so far, turn by turn, read page by page. */
  async *transcript(id: string, { after = 0 } = {}): AsyncGenerator<TranscriptTurn> {
    const { client } = await this.#connect();
    for (let next: number | null = after; next !== null;) {
      const page: OperationOutput<'getTranscript'> = await client.call('getTranscript', {
        id,
        after: next,
      });
      yield* page.turns.map(toTranscriptTurn);
      next = page.nextAfter;
    }
  }

  /** What it says, live, until it has ended. */
  async *events(id: string, options: EventOptions = {}): AsyncGenerator<SubAgentEvent> {
    const { client } = await this.#connect();
    yield* client.events(id, options);
  }
}

type Page = OperationOutput<'listSubagents'>;

async function collect(
  wanted: number | null | undefined,
  ask: (page: Pick<OperationInput<'listSubagents'>, 'limit' | 'cursor'>) => Promise<Page>,
): Promise<SubAgentSession[]> {
  const max = Math.min(wanted ?? listMax, listMax);
  const sessions: SubAgentSession[] = [];
  let cursor: string | null = null;
  do {
    const limit: number = Math.min(limits.pageMax, max - sessions.length);
    const page: Page = await ask({ limit, ...(cursor === null ? {} : { cursor }) });
    sessions.push(...page.items.map(toSession));
    cursor = page.nextCursor;
  } while (cursor !== null && sessions.length < max);
  return sessions;
}

function callOptions(given: {
  signal: AbortSignal | undefined;
  idempotencyKey?: string | null | undefined;
}): CallOptions {
  const { signal, idempotencyKey = null } = given;
  return {
    ...(signal ? { signal } : {}),
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
  };
}
