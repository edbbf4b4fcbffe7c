/** A process of the floors', each of the shape of one of ours: `echo`, `control`, `host`; or `bundle`. */
import { createHash } from 'node:crypto';
import { openSync, fdatasyncSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { Hono, type HonoRequest } from 'hono';
import { fileURLToPath } from 'node:url';
import { openStore, type Store } from '../../store/index.ts';
import { registerSession } from '../../store/sessions.ts';
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
    const body = JSON.parse(bytes.toString('utf8')) as { userPrompt: string };
    return { body, hash: createHash('sha256').update(bytes).digest('hex') };
  };
  app.post('/taken', async (context) => {
    const { hash } = await take(context.req);
    flush();
    return context.json({ hash });
  });
  /** The same, and its prompt is a turn of a store afterwards, in place of the flush: nothing is looked up for it. */
  const keep = createKeeper(file);
  app.post('/kept', async (context) => {
    const { body, hash } = await take(context.req);
    await keep(body.userPrompt);
    return context.json({ hash });
  });
  const answer = getRequestListener(app.fetch);
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as { port: number }).port };
}

/** A store with one session, opened for the first turn: other floors have none. */
function createKeeper(file: string): (text: string) => Promise<unknown> {
  let opened: Promise<{ store: Store; sessionId: number }> | undefined;
  async function open() {
    const store = openStore(`${file}.db`);
    const session = { agentId: 'default', sessionKey: 's1', harness: null };
    const { id } = await store.write((tx) =>
      registerSession(tx, { ...session, project: null, title: null }),
    );
    return { store, sessionId: id };
  }
  return async (text) => {
    const { store, sessionId } = await (opened ??= open());
    return store.write((tx) => appendTurn(tx, { sessionId, role: 'user', text }));
  };
}

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
