/** Findings about the engine beyond whether the server reaches it: binary, flags, and its namespace. */
import type { Config } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import type { EngineConnection } from '../../engine/connect-options.ts';
import type { CliDeps } from '../deps.ts';
import { ill, well, type Finding } from '../render/findings.ts';
import { checkNamespace } from './namespace.ts';

/** `isNamed`: the running stack has been given a Temporal, whatever this shell says of one. */
export async function checkEngine(
  deps: CliDeps,
  config: Config['engine'],
  isNamed: boolean,
): Promise<Finding[]> {
  const { connectOptions, isExternalEngine } = await import('../../engine/connect-options.ts');
  const { environment, processEnvironment: env, home } = deps;
  const isKnownHere = isExternalEngine(environment);
  // What the stack has been given and this shell does not know, the server alone can ask.
  if (isNamed && !isKnownHere) return [];
  let engine: EngineConnection | null;
  try {
    engine = connectOptions({ home, environment, env, config });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const why = 'Nothing can be started with it.';
    const remedy = error.hint ?? 'offshoot engine status';
    return [ill('error', 'engine', { what: error.message, why, remedy })];
  }
  return [
    ...(isKnownHere ? [] : await checkBinary(deps)),
    ...(isKnownHere ? [] : await checkFlags(home, config)),
    ...(engine === null ? [] : await checkNamespace(engine, config)),
  ];
}

/** One that is too old is refused where it is looked for, as one that is none: nothing is started from it. */
async function checkBinary({ processEnvironment }: CliDeps): Promise<Finding[]> {
  const { enginePath } = await import('../../engine/engine-commands.ts');
  const { findDeps } = await import('../../engine/find-deps.ts');
  const looking = findDeps(processEnvironment, () => undefined);
  const { binary, failed } = await enginePath(looking);
  const looked = failed.map(({ step, result }) => `${step}: ${result}`);
  if (binary === null) {
    return [
      ill('warning', 'engine binary', {
        what: `there is none that can be used (${looked.join('; ')})`,
        why: 'The next start gets one, which takes minutes and the network.',
        remedy: 'offshoot engine build, or install or update the Temporal CLI',
      }),
    ];
  }
  const { cli, server } = binary.version;
  const said = `${binary.path}, version ${cli} (server ${server})`;
  if (looking.temporalBin === null || binary.source === 'environment') {
    return [well('engine binary', said)];
  }
  return [
    ill('warning', 'engine binary', {
      what: `${looked[0]}; instead it is ${said}`,
      why: 'What you have named is not what a start would use.',
      remedy: 'name another file in OFFSHOOT_TEMPORAL_BIN, or none',
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
