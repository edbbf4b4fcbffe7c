/** What a child inherits: showing it, and checkpoints that somebody writes. */
import { AppError } from '../contract/errors.ts';
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import { checkpointAt } from '../store/checkpoints.ts';
import { contextBlockFor, inheritedBy } from '../store/context-block.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireSession } from './gate.ts';
import { isOwn } from './scope.ts';

export async function getContext(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'getContext'>,
): Promise<OperationOutput<'getContext'>> {
  const session = requireSession(deps, caller, input);
  const { subagents } = deps.config().memory.pipelineV2;
  return {
    sessionKey: session.session_key,
    agentId: session.agent_id,
    inherited: inheritedBy(deps.store.db, session, (giver) => isOwn(caller, giver)),
    offers: contextBlockFor(deps.store.db, subagents, session),
  };
}

export async function writeCheckpoint(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'writeCheckpoint'>,
): Promise<OperationOutput<'writeCheckpoint'>> {
  const session = requireSession(deps, caller, input);
  const row = await deps.store.write((tx) => checkpointAt(tx, session, 'explicit', input.summary));
  if (row === undefined) {
    throw new AppError(
      'bad_request',
      `nothing was said in ${input.key}: there is nothing to sum up`,
      {
        hint: 'Give a summary.',
      },
    );
  }
  return {
    sessionKey: session.session_key,
    agentId: session.agent_id,
    seq: row.seq,
    trigger: row.trigger,
    digest: row.digest,
    createdAt: row.created_at,
  };
}
