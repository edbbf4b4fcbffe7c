/** Findings about the engine beyond whether the server reaches it: binary, flags, retention, attributes. */
import type { Config } from '../../contract/config.ts';
import type { EngineConnection } from '../../engine/connect-options.ts';
import type { NamespaceView } from '../../engine/inspect-engine.ts';
import type { CliDeps } from '../deps.ts';
import { ill, well, type Finding } from '../render/findings.ts';

export async function checkEngine(deps: CliDeps, config: Config['engine']): Promise<Finding[]> {
  const { connectOptions, isExternalEngine } = await import('../../engine/connect-options.ts');
  const { environment, processEnvironment: env, home } = deps;
  const isOurs = !isExternalEngine(environment);
  const engine = connectOptions({ home, environment, env, config });
  return [
    ...(isOurs ? await checkBinary(deps) : []),
    ...(isOurs ? await checkFlags(home, config) : []),
    ...(engine === null ? [] : await checkNamespace(engine, config)),
  ];
}

async function checkBinary({ processEnvironment }: CliDeps): Promise<Finding[]> {
  const { enginePath } = await import('../../engine/engine-commands.ts');
  const { findDeps } = await import('../../engine/find-deps.ts');
  const { isOlder, oldestCli, pinnedCli } = await import('../../engine/versions.ts');
  const { binary, failed } = await enginePath(findDeps(processEnvironment, () => undefined));
  if (binary === null) {
    return [
      ill('warning', 'engine binary', {
        what: `there is none yet (${failed.map(({ step }) => step).join(', ')})`,
        why: 'The next start gets one, which takes minutes and the network.',
        remedy: 'offshoot engine build, or install the Temporal CLI',
      }),
    ];
  }
  const { cli, server } = binary.version;
  const said = `${binary.path}, version ${cli} (server ${server})`;
  if (!isOlder(cli, oldestCli)) return [well('engine binary', said)];
  return [
    ill('error', 'engine binary', {
      what: said,
      why: `It is older than ${oldestCli}, the first whose flags are known to work; ${pinnedCli} is tested.`,
      remedy: 'offshoot engine build, or update the Temporal CLI',
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

async function checkNamespace(
  engine: EngineConnection,
  { retentionDays }: Config['engine'],
): Promise<Finding[]> {
  const { inspectNamespace, mendNamespace } = await import('../../engine/inspect-engine.ts');
  let found: NamespaceView;
  try {
    found = await inspectNamespace(engine);
  } catch {
    // That it does not answer is a finding of its own: the server says so, or that nothing runs.
    return [];
  }
  const fix = async () => {
    await mendNamespace(engine, retentionDays);
    return `retention and search attributes of ${engine.namespace} are set`;
  };
  const { retentionDays: kept, missingAttributes: missing } = found;
  return [
    kept >= retentionDays
      ? well('engine history', `kept for ${kept} days`)
      : ill('warning', 'engine history', {
          what: `kept for ${kept} days, and engine.retentionDays is ${retentionDays}`,
          why: 'Temporal UI forgets ended workflows sooner than wanted. The store keeps all.',
          remedy: 'offshoot doctor --fix, or whoever may change the namespace',
          fix,
        }),
    missing.length === 0
      ? well('engine search', 'every search attribute is there')
      : ill('warning', 'engine search', {
          what: `without ${missing.join(', ')}`,
          why: 'Temporal UI cannot be searched by them. Everything else works.',
          remedy: 'offshoot doctor --fix, or whoever may change the namespace',
          fix,
        }),
  ];
}
