/** What `offshoot engine status | path | build` ask. They return data; the CLI prints it. */
import { checkHealth, namespaceProblem } from './check-health.ts';
import type { EngineConnection } from './connect-options.ts';
import { readEngineFile, type EngineFile } from './engine-file.ts';
import {
  locateBinary,
  obtainBinary,
  type EngineBinary,
  type FindDeps,
  type Found,
  type NotFound,
} from './find-binary.ts';
import { isRunning } from './process-identity.ts';

const probeMs = 2_000;

export interface EngineStatus {
  state: 'stopped' | 'unhealthy' | 'healthy';
  /** Where our own is, or was. */
  file: EngineFile | null;
  /** The Temporal that the user has named instead, here or where the stack was started; never `stopped` for us. */
  named: NamedEngine | null;
}

export interface NamedEngine {
  address: string;
  namespace: string;
  /** Null where it does not answer. */
  serverVersion: string | null;
  /** What keeps it from being worked with. */
  problem: string | null;
}

export async function engineStatus(
  home: string,
  external: EngineConnection | null = null,
): Promise<EngineStatus> {
  if (external !== null) {
    const { address, namespace, connection } = external;
    const { serverVersion = null } = (await checkHealth(connection, probeMs)) ?? {};
    const problem =
      serverVersion === null
        ? 'it does not answer'
        : await namespaceProblem(connection, namespace, probeMs);
    return ofNamed({ address, namespace, serverVersion, problem });
  }
  const file = readEngineFile(home);
  if (file === null || !isRunning(file)) return { state: 'stopped', file, named: null };
  const health = await checkHealth(file.address, probeMs);
  return { state: health === null ? 'unhealthy' : 'healthy', file, named: null };
}

export function ofNamed(named: NamedEngine): EngineStatus {
  return { state: named.problem === null ? 'healthy' : 'unhealthy', file: null, named };
}

/** Which binary `up` would start, without getting one; or what was looked at in vain. Throws as `up` does. */
export async function enginePath(deps: FindDeps): Promise<Found | NotFound> {
  return await locateBinary(deps);
}

/** Compiles the pinned version into the cache, unless it is there already. */
export async function buildEngine(deps: FindDeps): Promise<EngineBinary> {
  return await obtainBinary(deps, [], ['build']);
}
