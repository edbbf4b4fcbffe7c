/** What was said in a session, and of an invocation: page by page, then live. */
import type { OffshootClient } from '../client/index.ts';
import type { OperationOutput } from '../contract/operations.ts';
import type { Turn } from '../contract/records.ts';
import type { SessionTurn } from '../contract/transcripts.ts';
import { asRead } from '../domain/as-read.ts';
import type { NamedSession } from './named-session.ts';

interface WhichTurns {
  /** The number of a turn: only those that came behind it. */
  after?: number;
  /** Goes on with those to come. */
  follow?: boolean;
}

/** Live until it has ended. */
export async function* turnsOfInvocation(
  client: OffshootClient,
  id: string,
  { follow, after = 0 }: WhichTurns,
): AsyncGenerator<Turn, void> {
  if (!follow) {
    yield* turnsSoFar(client, id, after);
    return;
  }
  for await (const event of client.events(id, { after })) {
    if (event.event === 'turn') yield event.data;
  }
}

/** In the order in which they are read, then as they come: nothing says that it is over. */
export async function* turnsOfSession(
  client: OffshootClient,
  session: NamedSession,
  { follow, after = 0 }: WhichTurns,
): AsyncGenerator<SessionTurn, void> {
  let last = after;
  yield* asRead(sessionPages(client, session, after, (seq) => (last = seq)));
  if (follow) yield* client.watchSession(session, { after: last });
}

async function* sessionPages(
  client: OffshootClient,
  session: NamedSession,
  after: number,
  onLast: (seq: number) => void,
): AsyncGenerator<SessionTurn[], void> {
  for (let next: number | null = after; next !== null;) {
    const page: OperationOutput<'getSessionTranscript'> = await client.call(
      'getSessionTranscript',
      { ...session, format: 'turns', after: next },
    );
    const turns = page.turns ?? [];
    onLast(turns.at(-1)?.seq ?? next);
    yield turns;
    next = page.nextAfter ?? null;
  }
}

async function* turnsSoFar(
  client: OffshootClient,
  id: string,
  after: number,
): AsyncGenerator<Turn, void> {
  for (let next: number | null = after; next !== null;) {
    const page: OperationOutput<'getTranscript'> = await client.call('getTranscript', {
      id,
      after: next,
    });
    yield* page.turns;
    next = page.nextAfter;
  }
}
