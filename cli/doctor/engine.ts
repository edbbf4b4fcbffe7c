/** Findings about the engine beyond what the server says of it: binary, version, flags, and its namespace. */
import type { Config } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import type { EngineConnection } from '../../engine/connect-options.ts';
import type { Found, NotFound } from '../../engine/find-binary.ts';
import type { NamespaceView } from '../../engine/inspect-engine.ts';
import type { CliDeps } from '../deps.ts';
import { ill, remedyOf, well, type Finding } from '../render/findings.ts';
import { checkNamespace } from './namespace.ts';

/** `isNamed`: the running stack has been given a Temporal, whatever this shell says of one. */
export async function checkEngine(
  deps: CliDeps,
  config: Config['engine'],
  isNamed: boolean,
): Promise<Finding[]> {
  const { connectOptions, isExternalEngine } = await import('../../engine/connect-options.ts');
  const { enginePath } = await import('../../engine/engine-commands.ts');
  const { findDeps } = await import('../../engine/find-deps.ts');
  const { environment, processEnvironment: env, home } = deps;
  const isKnownHere = isExternalEngine(environment);
  // What the stack has been given and this shell does not know, the server alone can ask.
  if (isNamed && !isKnownHere) return [];
  let engine: EngineConnection | null;
  try {
    engine = connectOptions({ home, environment, env, config });
  } catch (error) {
    return [notStartable('engine', error)];
  }
  const view = engine === null ? null : await lookInto(engine);
  const ofNamespace = engine && view ? checkNamespace(engine, view, config) : [];
  if (isKnownHere) return ofNamespace;
  const found = await enginePath(findDeps(env, () => undefined)).catch((error: unknown) =>
    notStartable('engine binary', error),
  );
  return [
    ...('level' in found ? [found] : [checkBinary(found), ...checkVersion(view, found)]),
    ...(await checkFlags(home, config)),
    ...ofNamespace,
  ];
}

/** What the environment names and nothing can use. */
function notStartable(name: string, error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  const why = 'Nothing can be started with it.';
  const remedy = remedyOf(error, 'offshoot engine status');
  return ill('error', name, { what: error.message, why, remedy });
}

/** Null where it does not answer, which is a finding of its own: the server says so, or that nothing runs. */
async function lookInto(engine: EngineConnection): Promise<NamespaceView | null> {
  const { inspectNamespace } = await import('../../engine/inspect-engine.ts');
  return inspectNamespace(engine).catch(() => null);
}

/** One that is too old is refused where it is looked for, as one that is none: nothing is started from it. */
function checkBinary({ binary, failed }: Found | NotFound): Finding {
  const looked = failed.map(({ step, result }) => `${step}: ${result}`);
  if (binary === null) {
    return ill('warning', 'engine binary', {
      what: `there is none that can be used (${looked.join('; ')})`,
      why: 'The next start gets one, which takes minutes and the network.',
      remedy: 'offshoot engine build, or install or update the Temporal CLI',
    });
  }
  const { cli, server } = binary.version;
  return well('engine binary', `${binary.path}, version ${cli} (server ${server})`);
}

/** One that was adopted may be of another version than a start of today. It says itself which. */
function checkVersion(view: NamespaceView | null, { binary }: Found | NotFound): Finding[] {
  if (view === null || binary === null) return [];
  const { serverVersion: runs } = view;
  const { server } = binary.version;
  if (runs === server) return [well('engine version', `${runs}, as in a start of today`)];
  return [
    ill('warning', 'engine version', {
      what: `${runs} runs, and a start of today has ${server}`,
      why: 'Each version has a database of its own: from its next start on Temporal UI shows only what is open then and what follows.',
      remedy: `offshoot down, then offshoot up, at a time of your choice; or name a binary with server ${runs} in OFFSHOOT_TEMPORAL_BIN`,
    }),
  ];
}

/** One that was adopted may have been started by another version, or under another configuration. */
async function checkFlags(home: string, config: Config['engine']): Promise<Finding[]> {
  const { inspectFlags } = await import('../../engine/inspect-engine.ts');
  const flags = inspectFlags(home, config.durable);
  if (flags === null) return [];
  const differences = [
    ...flags.missing.map((word) => `without ${word}`),
    ...flags.extra.map((word) => `with ${word}`),
  ];
  if (differences.length === 0) return [well('engine flags', 'as a start of today would set them')];
  return [
    ill('warning', 'engine flags', {
      what: `pid ${flags.pid} runs ${differences.join(', ')}`,
      why: 'It was started otherwise than it would be now, and may be slower or less durable.',
      remedy: 'offshoot down, then offshoot up',
    }),
  ];
}
