/** The store that search is measured in: made-up talk of many sessions, and the words that find a turn of it again. */
import type { Store } from '../store/index.ts';
import { createRandom, createTalk } from './talk.ts';

export interface Filled {
  textBytes: number;
  /** Words of one turn, and what finds them again. */
  known(): Known;
}
export interface Known {
  words: string[];
  session: number;
  turn: number;
}

const turnsOfSession = 205;
/** Projects that there are, and later as many agents. */
const PARTS = 50;
const turnsTogether = 2000;

/** Whose all of it is as it is filled: what this one searches is all turns. */
export const oneAgent = 'default';
export const projectOf = (session: number) => `/project/${session % PARTS}`;
/** After `shareAmongAgents`. */
export const agentOf = (session: number) => `agent${session % PARTS}`;

/** A store that holds them already is taken as it is: making a million turns takes minutes. */
export async function fillSearchStore(store: Store, turns: number): Promise<Filled> {
  const { count, last } = store.db.get<{ count: number; last: number | null }>(
    'SELECT count(*) AS count, max(id) AS last FROM turns',
  )!;
  if (count !== turns || last !== turns) await fill(store, turns);
  const textBytes = store.db.get<{ bytes: number }>(
    'SELECT sum(octet_length(text)) AS bytes FROM turns',
  )!.bytes;
  return { textBytes, known: knownItems(store, turns) };
}

/** The same sessions as those of fifty agents. An index of before does not know it: agents are for ever. */
export async function shareAmongAgents(store: Store): Promise<void> {
  await store.write(({ db }) => {
    for (let n = 0; n < PARTS; n += 1) {
      const agent = agentOf(n);
      db.run('INSERT INTO agents (id, name) VALUES (:agent, :agent)', { agent });
      db.run(`UPDATE sessions SET agent_id = :agent WHERE id % ${PARTS} = :n`, { agent, n });
    }
  });
}

/** As hooks would leave it, with ids that say which session a turn is of. */
async function fill(store: Store, turns: number): Promise<void> {
  const talk = createTalk(7);
  const sessions = Math.ceil(turns / turnsOfSession);
  await store.write(({ db }) => {
    db.run('INSERT INTO agents (id, name) VALUES (:oneAgent, :oneAgent)', { oneAgent });
    for (let n = 1; n <= sessions; n += 1) {
      db.run(
        `INSERT INTO sessions (id, agent_id, session_key, kind, project, last_seq, created_at, updated_at)
         VALUES (:n, :oneAgent, :key, 'external', :project, ${turnsOfSession}, :at, :at)`,
        { n, oneAgent, key: `session${n}`, project: projectOf(n), at: timeOf(n) },
      );
    }
  });
  for (let done = 0; done < turns;) {
    await store.write(({ db }) => {
      for (const end = Math.min(turns, done + turnsTogether); done < end; done += 1) {
        const session = sessionOf(done + 1);
        db.run(
          `INSERT INTO turns (id, session_id, seq, role, at, text)
           VALUES (:id, :session, :seq, :role, :at, :text)`,
          {
            id: done + 1,
            session,
            seq: seqOf(done + 1),
            role: done % 2 === 0 ? 'user' : 'assistant',
            at: timeOf(session),
            text: talk.turn(session),
          },
        );
      }
    });
  }
}

const sessionOf = (turnId: number) => 1 + Math.floor((turnId - 1) / turnsOfSession);
const seqOf = (turnId: number) => 1 + ((turnId - 1) % turnsOfSession);
const timeOf = (session: number) =>
  new Date(Date.UTC(2025, 0, 1) + session * 3_600_000).toISOString();

/** One to five words of a random turn that are none of the hundred commonest. */
function knownItems(store: Store, turns: number): () => Known {
  const random = createRandom(11);
  const common = new Set<string>();
  const counted = new Map<string, number>();
  for (let n = 0; n < 500; n += 1) {
    for (const word of textOf(store, 1 + n * Math.floor(turns / 500)).split(' ')) {
      counted.set(word, (counted.get(word) ?? 0) + 1);
    }
  }
  for (const [word] of [...counted].toSorted((a, b) => b[1] - a[1]).slice(0, 100)) common.add(word);
  return () => {
    for (;;) {
      const turnId = 1 + Math.floor(random() * turns);
      const words = textOf(store, turnId)
        .split(' ')
        .filter((word) => !common.has(word));
      if (words.length < 5) continue;
      const picked = Array.from(
        { length: 1 + Math.floor(random() * 5) },
        () => words[Math.floor(random() * words.length)]!,
      );
      return { words: picked, session: sessionOf(turnId), turn: seqOf(turnId) };
    }
  };
}

const textOf = (store: Store, id: number) =>
  store.db.get<{ text: string }>('SELECT text FROM turns WHERE id = :id', { id })!.text;
