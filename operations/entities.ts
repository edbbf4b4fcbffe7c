/** What an agent knows of things by name. Its own only, whatever the read policies say. */
import { AppError } from '../contract/errors.ts';
import type { EntityRecord } from '../contract/entities.ts';
import { hints } from '../contract/hints.ts';
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import {
  entityRecord,
  findEntity,
  listEntities as list,
  putEntity as put,
  removeEntity,
  type EntityRow,
} from '../store/entities.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { agentOf, askingInvocation } from './gate.ts';

export async function putEntity(
  deps: Deps,
  caller: Caller,
  { entity, agentId, ...parts }: ParsedInput<'putEntity'>,
): Promise<EntityRecord> {
  refuseSubAgent(deps, caller);
  const agent = agentOf(deps, caller, agentId);
  return deps.store.write((tx) => entityRecord(tx.db, put(tx, agent, entity, parts)));
}

export async function getEntity(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'getEntity'>,
): Promise<EntityRecord> {
  return entityRecord(deps.store.db, requireEntity(deps, caller, input));
}

export async function listEntities(
  deps: Deps,
  caller: Caller,
  { agentId, limit, cursor }: ParsedInput<'listEntities'>,
): Promise<OperationOutput<'listEntities'>> {
  const agent = agentOf(deps, caller, agentId);
  const { db } = deps.store;
  const after = cursor === undefined ? '' : readCursor(cursor);
  const found = list(db, agent, { after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1)?.normalized;
  return {
    items: page.map((row) => entityRecord(db, row)),
    nextCursor: found.length > limit ? Buffer.from(`e${last}`).toString('base64url') : null,
  };
}

export async function deleteEntity(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'deleteEntity'>,
): Promise<OperationOutput<'deleteEntity'>> {
  refuseSubAgent(deps, caller);
  const entity = requireEntity(deps, caller, input);
  await deps.store.write((tx) => removeEntity(tx, entity));
  return { name: entity.name, agentId: entity.agent_id };
}

/** What is known is told to every child of the agent, also in other trees: a sub-agent acts on what is below it. */
function refuseSubAgent(deps: Deps, caller: Caller): void {
  if (askingInvocation(deps, caller) === null) return;
  throw new AppError('forbidden', 'what an agent knows is not written by its sub-agents', {
    hint: 'It is written with a token of the agent itself: offshoot token create --role agent --agent <id>',
  });
}

function requireEntity(
  deps: Deps,
  caller: Caller,
  asked: { entity: string; agentId?: string | undefined },
): EntityRow {
  const entity = findEntity(deps.store.db, agentOf(deps, caller, asked.agentId), asked.entity);
  if (!entity) throw new AppError('not_found', `nothing is known of ${asked.entity}`);
  return entity;
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (text.startsWith('e')) return text.slice(1);
  throw new AppError('bad_request', 'cursor: is not one that a list has given', {
    hint: hints.nextPage.http,
  });
}
