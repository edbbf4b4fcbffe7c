import type { ClaimAnswer, ClaimRequest } from '../../contract/store-api.ts';
import type { RunSpec } from '../../contract/run.ts';
import { formatTraceparent, parseTraceparent } from '../../contract/trace.ts';
import { leaseSpan } from '../../domain/span-ids.ts';
import { signToken } from '../../domain/token.ts';
import { reach } from '../../faults/reach.ts';
import { runnerOf } from '../../store/invocations.ts';
import { claim as claimRun, type Claim } from '../../store/lifecycle/claim.ts';
import type { Deps } from '../deps.ts';

export async function claim(deps: Deps, request: ClaimRequest): Promise<ClaimAnswer> {
  // Read before the claim: a claim whose answer could not be given would be a run that never was.
  const env = await deps.secrets.get(request.invocationId);
  const { subagents: context } = deps.lastGoodConfig().memory.pipelineV2;
  const claimed = await deps.store.write((tx) =>
    claimRun(tx, request, { hasEnv: env !== null, context }),
  );
  if (claimed.kind !== 'run') return claimed;
  reach('claimed');
  return { kind: 'run', run: specOf(deps, claimed, env ?? {}) };
}

function specOf(
  deps: Deps,
  { row, runNo, turn, prompt, inheritedContext }: Extract<Claim, { kind: 'run' }>,
  env: Record<string, string>,
): RunSpec {
  const within = parseTraceparent(row.traceparent);
  return {
    invocationId: row.id,
    runNo,
    turn,
    sessionKey: row.session_key,
    agentId: row.agent_id,
    parentSessionId: row.parent_session_id,
    rootSessionId: row.root_session_id,
    depth: row.depth,
    prompt,
    workspacePath: row.workspace_path,
    specId: row.spec_id,
    files: row.files_json === null ? [] : (JSON.parse(row.files_json) as string[]),
    inheritedContext,
    env,
    runner: runnerOf(row),
    url: deps.url(),
    token: signToken(deps.secret, { role: 'child', invocationId: row.id, agentId: row.agent_id }),
    traceparent: within && formatTraceparent(leaseSpan(within, row.id, runNo)),
  };
}
