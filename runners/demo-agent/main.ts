/** The demo agent: its prompt on stdin, progress on stderr, its answer on stdout at the end. No model. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../client/index.ts';
import { readEnvironment } from '../../contract/config.ts';
import { childEnv } from '../../contract/names.ts';
import { takeTurn, type AgentDeps } from './agent.ts';
import { overHttp } from './over-http.ts';
import { overMcp } from './over-mcp.ts';

const { url, token, parentSessionId: ownSession, traceparent } = readEnvironment(process.env);
const turn = Number(process.env[childEnv.turn] ?? 1);

const deps: AgentDeps = {
  offshoot: url === null || token === null ? null : offshootAt(url, token),
  invocationId: process.env[childEnv.invocationId] ?? '',
  inheritedContext: readInherited(process.env[childEnv.context]),
  progress: (line) => void process.stderr.write(`${line}\n`),
  write,
  crash: () => void process.kill(process.pid, 'SIGKILL'),
  ignoreTerm: () => void process.on('SIGTERM', () => {}),
};

const { answer, failure } = await takeTurn(deps, turn, await text(process.stdin));
if (answer !== '') await write(`${answer}\n`);
if (failure !== null) {
  deps.progress(failure);
  process.exitCode = 1;
}

function readInherited(contextFile: string | undefined): string | null {
  if (contextFile === undefined) return null;
  const file = JSON.parse(readFileSync(contextFile, 'utf8')) as {
    inheritedContext?: string | null;
  };
  return file.inheritedContext ?? null;
}

function offshootAt(serverUrl: string, childToken: string) {
  const cli = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  const set = Object.entries(process.env).filter(([, value]) => value !== undefined);
  // The whole environment: identity, token, and the marker by which a cancelled run is swept.
  const env = Object.fromEntries(set) as Record<string, string>;
  const client = createClient({ url: serverUrl, token: childToken, traceparent });
  return {
    http: overHttp(client, ownSession ?? ''),
    mcp: overMcp({ command: process.execPath, args: [cli, 'mcp'], env }),
  };
}

async function write(chunk: string): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
}
