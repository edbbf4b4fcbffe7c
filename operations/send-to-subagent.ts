import type { ParsedInput } from '../contract/operations.ts';
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import type { SubAgentRecord } from '../contract/records.ts';
import { accept } from '../store/lifecycle/accept.ts';
import { runnerOf } from '../store/invocations.ts';
import { sessionById } from '../store/sessions.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireBelow, whoAsks } from './gate.ts';
import { identify } from './request-identity.ts';
import { requireFit } from './run-subagent.ts';
import { answerAccepted, waitIdFor } from './sync-answer.ts';
import { keptTrace } from './traced.ts';

/** A message to a session is a new invocation on it: own id, own mode, own caller, first come first served. */
export async function sendToSubagent(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'sendToSubagent'>,
): Promise<SubAgentRecord> {
  const from = performance.now();
  const earlier = requireBelow(deps, caller, input.id);
  const runner = runnerOf(earlier);
  if (!runner.turns) {
    throw new AppError(
      'runner_single_turn',
      `the runner ${runner.id} takes one turn only: nothing can be sent to its session`,
      { hint: hints.newSession.http },
    );
  }
  requireFit(runner, input.prompt);
  const session = sessionById(deps.store.db, earlier.session_id);
  // Sessions of other agents are not known here: a message never crosses from one to another.
  const asked = whoAsks(deps, caller, { agentId: earlier.agent_id });
  const { id, requestHash } = identify(deps, caller, 'sendToSubagent', {
    ...input,
    parent: asked.parent?.session_key ?? null,
  });
  const { limits } = deps.config();
  const waitId = waitIdFor(input.executionMode, asked.parent);
  const row = await deps.store.write((tx) =>
    accept(tx, {
      id,
      requestHash,
      ...asked,
      runner,
      prompt: input.prompt,
      executionMode: input.executionMode,
      session,
      workspacePath: earlier.workspace_path,
      specId: earlier.spec_id,
      files: null,
      title: null,
      detached: false,
      hasEnv: false,
      maxDepth: Math.min(earlier.max_depth, limits.maxDepth),
      maxChildren: Math.min(earlier.max_children, limits.maxChildren),
      wallSeconds: limits.wallSeconds,
      homeLimits: limits,
      waitId,
      traceparent: keptTrace(caller),
    }),
  );
  const { executionMode: mode, waitSeconds = null } = input;
  return answerAccepted(deps, caller, { row, mode, waitSeconds, waitId, from });
}
