/** A process of the floors', each of the shape of one of ours: `echo`, `control`, `host`; or `bundle`. */
import { createHash } from 'node:crypto';
import { openSync, fdatasyncSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { Hono, type HonoRequest } from 'hono';
import { fileURLToPath } from 'node:url';
import { openStore, type Store } from '../../store/index.ts';
import { isAnyWaiting } from '../../store/mailbox.ts';
import { agentsWithKey, findSession, insertSession } from '../../store/sessions.ts';
import { keepSnapshot } from '../../store/snapshots.ts';
import { appendTurn } from '../../store/turns.ts';
import { installSdkRuntime } from '../../worker/sdk-runtime.ts';
import { createActivities } from './activities.ts';

const [role, first = '', second = ''] = process.argv.slice(2);
const roles: Record<string, () => Promise<object>> = {
  echo: () => echo(first),
  control: () => control(first, second),
  host: () => host(first, Number(second)),
  bundle: () => bundle(first),
};
// Started by the bench, it ends with it.
process.on('disconnect', () => process.exit(0));
process.send!(await roles[role!]!());

/** One request over loopback by the server's own stack; a POST costs one flush of the disk, too. */
async function echo(file: string): Promise<{ port: number }> {
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(8192);
  // Overwritten from here on: a file that grows would cost more than the log that SQLite re-uses.
  writeSync(descriptor, block);
  fdatasyncSync(descriptor);
  const app = new Hono();
  app.get('/', (context) => context.json({ ok: true }));
  const flush = () => {
    writeSync(descriptor, block, 0, block.length, 0);
    fdatasyncSync(descriptor);
  };
  app.post('/', async (context) => {
    const body: unknown = await context.req.json();
    flush();
    return context.json(body);
  });
  /** What whoever keeps a body cannot do without: all of it read, parsed, and hashed once. */
  const take = async (request: HonoRequest) => {
    const bytes = Buffer.from(await request.arrayBuffer());
    const body = JSON.parse(bytes.toString('utf8')) as Prompt;
    return { body, hash: createHash('sha256').update(bytes).digest('hex') };
  };
  app.post('/taken', async (context) => {
    const { hash } = await take(context.req);
    flush();
    return context.json({ hash });
  });
  /**
   * The same, and its prompt is a turn of a store afterwards, in place of the flush: whose session it is, its state and
   * whether callbacks wait are looked up, and what is known of the transcript is kept. Nobody whose truth is a store can
   * do less.
   */
  const keep = createKeeper(file);
  app.post('/kept', async (context) => {
    const { body, hash } = await take(context.req);
    await keep(body, hash);
    return context.json({ hash });
  });
  const answer = getRequestListener(app.fetch);
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as { port: number }).port };
}

interface Prompt {
  sessionKey: string;
  userPrompt: string;
}

/** Opened for the first turn: other floors have no store. */
function createKeeper(file: string): (prompt: Prompt, hash: string) => Promise<unknown> {
  let store: Store | undefined;
  return async ({ sessionKey, userPrompt: text }, hash) => {
    store ??= openStore(`${file}.db`);
    const [agentId = 'default'] = agentsWithKey(store.db, sessionKey);
    return store.write((tx) => {
      const found = findSession(tx.db, agentId, sessionKey);
      const session = found ?? insertSession(tx, { ...newSession, agentId, sessionKey });
      appendTurn(tx, { sessionId: session.id, role: 'user', text });
      const chain = { bytes: text.length, blocks: '', last: hash };
      const state = { lastEntryBytes: null, seq: session.last_seq + 1, file: null, isPart: false };
      keepSnapshot(tx, session.id, { chain, ...state });
      return isAnyWaiting(tx.db, session.id);
    });
  };
}

const newSession = { kind: 'external', harness: null, project: null, title: null } as const;

/** The flags are those of the server's own control worker (`worker/engine-link.ts`). */
async function control(address: string, bundleFile: string): Promise<object> {
  installSdkRuntime(() => {});
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue: 'bare-control',
    workflowBundle: { codePath: bundleFile },
    activities: createActivities({ path: process.env['PATH'] ?? '' }),
    maxCachedWorkflows: 500,
    maxConcurrentWorkflowTaskExecutions: 40,
    stickyQueueScheduleToStartTimeout: '1s',
  });
  void worker.run();
  return {};
}

/** The runner host's (`worker/host/runner-host.ts`). */
async function host(address: string, slots: number): Promise<object> {
  installSdkRuntime(() => {});
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue: 'bare-host',
    activities: createActivities({ path: process.env['PATH'] ?? '' }),
    maxConcurrentActivityTaskExecutions: slots,
    maxHeartbeatThrottleInterval: '2s',
  });
  void worker.run();
  return {};
}

async function bundle(file: string): Promise<object> {
  const workflowsPath = fileURLToPath(new URL('./workflows.js', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  writeFileSync(file, code);
  return {};
}
