/** `engine status | path | build`: the Temporal dev server and its binary. */
import type { Command } from 'commander';
import type { EngineStatus, NamedEngine } from '../../engine/engine-commands.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { checkConfig } from '../doctor/config.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { homeHealth } from '../home-health.ts';
import { jsonOption } from '../option-values.ts';
import { tellLine, withProgress } from '../progress.ts';
import { writeJson } from '../write-json.ts';

export function addEngineCommand(program: Command, { action }: Cli): void {
  const engine = program.command('engine').description('the Temporal server that is kept for you');
  engine
    .command('status')
    .description('whether it runs, and where')
    .addOption(jsonOption())
    .action(action(status));
  engine
    .command('path')
    .description('which binary `up` would start')
    .addOption(jsonOption())
    .action(action(path));
  engine
    .command('build')
    .description('compile the pinned version into the cache (needs Go, some minutes)')
    .addOption(jsonOption())
    .action(action(build));
}

async function status(deps: CliDeps, { json }: { json?: boolean }): Promise<ExitCode> {
  const { out } = deps;
  const found = await look(deps);
  if (json) writeJson(out, found);
  else if (found.named !== null) {
    const { address, namespace, serverVersion, problem } = found.named;
    const how = problem === null ? `, version ${serverVersion}` : `: ${problem}`;
    out.write(`${found.state}\n  named      ${address}${how}\n  namespace  ${namespace}\n`);
  } else if (found.file === null || found.state === 'stopped') out.write('stopped\n');
  else {
    const { address, uiUrl, version, namespace, pid } = found.file;
    out.write(`${found.state}\n  address    ${address}\n  UI         ${uiUrl}\n`);
    out.write(`  namespace  ${namespace}\n  version    ${version}\n  pid        ${pid}\n`);
  }
  return found.state === 'healthy' ? exitCodes.ok : exitCodes.unreachable;
}

async function look(deps: CliDeps): Promise<EngineStatus> {
  const { engineStatus, ofNamed } = await import('../../engine/engine-commands.ts');
  const found = await engineStatus(deps.home, await namedEngine(deps));
  const named = found.state === 'stopped' ? await namedAtStart(deps.home) : null;
  if (named !== null) return ofNamed(named);
  // What is stopped and cannot be started is told as `up` tells it.
  if (found.state === 'stopped') await requireStartable(deps);
  return found;
}

/** Whoever started the stack may have named a Temporal that this shell does not: the server knows it. */
async function namedAtStart(home: string): Promise<NamedEngine | null> {
  const { usesNamedEngine } = await import('../../launcher/server-health.ts');
  const { health } = await homeHealth(home);
  if (health === null) return null;
  const { address, namespace, serverVersion, connected } = health.engine;
  if (address === null || !usesNamedEngine(home, health)) return null;
  const problem = connected ? null : (health.engine.problem ?? 'it is not connected');
  return { address, namespace, serverVersion, problem };
}

/** Whatever is wrong with the rest of the configuration: `config check` is there for that. */
async function namedEngine({ home, environment, processEnvironment: env }: CliDeps) {
  const { connectOptions, isExternalEngine } = await import('../../engine/connect-options.ts');
  if (!isExternalEngine(environment)) return null;
  const { config } = await checkConfig(home);
  return connectOptions({ home, environment, env, config: config.engine });
}

async function path(deps: CliDeps, { json }: { json?: boolean }): Promise<ExitCode> {
  const { enginePath } = await import('../../engine/engine-commands.ts');
  const found = await enginePath(await findDepsOf(deps, () => undefined));
  const { out, err } = deps;
  if (json) writeJson(out, found);
  else if (found.binary !== null) out.write(`${found.binary.path}\n`);
  else {
    for (const { step, result } of found.failed) err.write(`${step}: ${result}\n`);
    err.write('`offshoot up` gets one; `offshoot engine build` compiles it.\n');
  }
  return found.binary === null ? exitCodes.notFound : exitCodes.ok;
}

async function build(deps: CliDeps, { json }: { json?: boolean }): Promise<ExitCode> {
  const { buildEngine } = await import('../../engine/engine-commands.ts');
  const tell = (line: string) => tellLine(deps, line);
  const work = buildEngine(await findDepsOf(deps, tell));
  const binary = await withProgress(deps, 'compiling the engine', work);
  if (json) writeJson(deps.out, binary);
  else deps.out.write(`${binary.path}\n`);
  return exitCodes.ok;
}

async function requireStartable(deps: CliDeps): Promise<void> {
  const { namedBinary } = await import('../../engine/find-binary.ts');
  await namedBinary(await findDepsOf(deps, () => undefined));
}

async function findDepsOf(deps: CliDeps, onProgress: (line: string) => void) {
  const { findDeps } = await import('../../engine/find-deps.ts');
  return findDeps(deps.processEnvironment, onProgress);
}
