/** Findings about the store: sound or not, what waits in it, and whether the clocks agree. */
import { existsSync } from 'node:fs';
import type { OffshootClient } from '../../client/index.ts';
import { AppError } from '../../contract/errors.ts';
import { homePaths } from '../../contract/home.ts';
import type { StoreCheck } from '../../contract/system-records.ts';
import { formatBytes } from '../render/bytes.ts';
import { formatDuration } from '../render/duration.ts';
import { ill, remedyOf, well, type Finding } from '../render/findings.ts';

/** It is begun anew from 16 MiB on, unless something reads for long. */
const walBytesMax = 64 * 1024 ** 2;
/** The relay sends within milliseconds; what waits longer than this waits for something. */
const outboxMsMax = 30_000;
/** Two clocks of one machine do not differ; those of two that are kept in step differ by less. */
const skewMsMax = 5000;

/** Through the server that has the home, or on the file itself where none has. */
export async function checkStore(
  home: string,
  client: OffshootClient | null,
  now: () => number,
): Promise<Finding[]> {
  try {
    const from = now();
    const lost = client ? null : await findLost(home);
    if (lost !== null) return [lost];
    const found = client ? await client.call('checkStore', {}) : await checkFile(home);
    if (found === null) return [];
    const asked = { from, to: now() };
    return [
      soundness(found),
      ...wal(found, client === null, home),
      ...(client ? [] : waiting(found, now())),
      ...claims(found, client !== null),
      ...(client ? [skew(found, asked)] : []),
      ...jump(found),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // An agent that asks how things are has no right to the whole, and an older server no answer.
    if (error.code === 'forbidden') return [];
    return [
      ill('warning', 'store', {
        what: `was not read: ${error.message}`,
        why: 'Whether it is sound is not known.',
        remedy: remedyOf(error, 'look at server.log; without a server: at the disk of the home'),
      }),
    ];
  }
}

/** A restore that is decided brings one: that is told as what it is. */
async function findLost(home: string): Promise<Finding | null> {
  const { database, openings } = homePaths(home);
  const { decidedName, lostDatabase } = await import('../../backup/index.ts');
  if (existsSync(database) || existsSync(decidedName(database))) return null;
  const lost = lostDatabase(database, openings);
  if (lost === null) return null;
  return ill('error', 'store', {
    what: lost.message,
    why: 'What was accepted is in it. No server starts without it.',
    remedy: remedyOf(lost, 'offshoot restore'),
  });
}

async function checkFile(home: string): Promise<StoreCheck | null> {
  const paths = homePaths(home);
  if (!existsSync(paths.database)) return null;
  const { checkOffline } = await import('../../backup/index.ts');
  return checkOffline(paths);
}

function soundness({ file, problems, schema, knownSchema, ...sizes }: StoreCheck): Finding {
  if (problems.length > 0) {
    return ill('error', 'store', {
      what: `${file} is damaged: ${problems[0]}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''}`,
      why: 'Answers may be wrong or missing, and it may stop at any time.',
      remedy:
        'offshoot down, then offshoot restore <file> with the newest backup; find out what the disk has',
    });
  }
  if (schema > knownSchema) {
    return ill('error', 'store', {
      what: `${file} has schema ${schema}, and this Offshoot knows ${knownSchema}`,
      why: 'It does not start with it.',
      remedy: 'update Offshoot',
    });
  }
  const older = schema < knownSchema ? `, brought to ${knownSchema} at the next start` : '';
  const besides = sizes.walBytes === 0 ? '' : ` and a WAL of ${formatBytes(sizes.walBytes)}`;
  return well('store', `${formatBytes(sizes.bytes)}${besides}, sound, schema ${schema}${older}`);
}

function wal({ walBytes }: StoreCheck, isOffline: boolean, home: string): Finding[] {
  if (walBytes <= walBytesMax) return [];
  const fix = async () => {
    const { foldOffline } = await import('../../backup/index.ts');
    foldOffline(homePaths(home));
    return 'the WAL is folded into the database';
  };
  return [
    ill('warning', 'WAL', {
      what: `${formatBytes(walBytes)} are not in the database file yet`,
      why: 'It fills the disk, and every start reads it.',
      remedy: isOffline
        ? 'offshoot doctor --fix'
        : 'end whatever else has main.db open, such as a database browser',
      ...(isOffline && { fix }),
    }),
  ];
}

function waiting({ outbox }: StoreCheck, now: number): Finding[] {
  if (outbox.oldestAt === null) return [];
  const age = now - Date.parse(outbox.oldestAt);
  if (age <= outboxMsMax) return [];
  return [
    ill('warning', 'outbox', {
      what: `${outbox.rows} waiting to reach the engine, the oldest for ${formatDuration(age)}`,
      why: 'What was accepted does not go on while nothing runs. Nothing is lost.',
      remedy: 'offshoot up',
    }),
  ];
}

function claims({ staleClaims }: StoreCheck, isOnline: boolean): Finding[] {
  const [first] = staleClaims;
  if (!first) return [];
  return [
    ill('warning', 'claims', {
      what: `${staleClaims.length} runs count as running on a host that is gone: ${first.invocationId} on ${first.hostId}${staleClaims.length > 1 ? ', …' : ''}`,
      why: 'Their processes are gone, or cannot be reached; nobody knows how they ended.',
      remedy: isOnline
        ? 'bring the host back, or wait: they are settled when its lease (limits.leaseMinutes) is over'
        : 'offshoot up settles them',
    }),
  ];
}

function skew({ now }: StoreCheck, { from, to }: { from: number; to: number }): Finding {
  const there = Date.parse(now);
  // Whenever between question and answer it was read, it should lie between the two.
  const ms = there < from ? from - there : Math.max(0, there - to);
  if (ms <= skewMsMax) return well('clock', "this one and the server's agree");
  return ill('warning', 'clock', {
    what: `the server's is ${formatDuration(ms)} ${there < from ? 'behind' : 'ahead of'} this one`,
    why: 'Deadlines, leases and ages are counted by the clock of the server.',
    remedy: 'let both be set from the network (timedatectl set-ntp true)',
  });
}

function jump({ newestAt, now }: StoreCheck): Finding[] {
  const ahead = newestAt === null ? 0 : Date.parse(newestAt) - Date.parse(now);
  if (ahead <= skewMsMax) return [];
  return [
    ill('warning', 'clock jump', {
      what: `the store has entries of ${formatDuration(ahead)} ahead of now`,
      why: 'The clock was set back: until then deadlines come late, and lists are out of order.',
      remedy: 'set the clock right; what is in the future becomes past by itself',
    }),
  ];
}
