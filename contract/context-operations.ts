/** What a child inherits: showing it, and writing what it is made of. Part of contract/operations.ts. */
import { z } from 'zod';
import {
  entityRecordSchema,
  entitySchema,
  listEntitiesSchema,
  putEntitySchema,
} from './entities.ts';
import { checkpointSchema, contextBlockSchema, inheritedContextSchema } from './records.ts';
import { sessionSchema, writeCheckpointSchema } from './session-requests.ts';

export const contextOperations = {
  getContext: {
    method: 'GET',
    path: '/api/sessions/{key}/context',
    summary:
      "What a session was given of its parent's context, and what a child of it would be given",
    input: sessionSchema,
    output: z.object({
      sessionKey: z.string(),
      agentId: z.string(),
      inherited: inheritedContextSchema
        .nullable()
        .describe('As it was given last; null where nothing was'),
      offers: contextBlockSchema.nullable().describe('What a child would be given now'),
    }),
  },
  writeCheckpoint: {
    method: 'POST',
    path: '/api/sessions/{key}/checkpoints',
    summary: 'Put a checkpoint into a session: a summary of yours, or a digest of what was said',
    input: writeCheckpointSchema,
    output: checkpointSchema,
  },
  putEntity: {
    method: 'PUT',
    path: '/api/entities/{entity}',
    summary: 'Say what is known of a thing: other names, attributes, and constraints to be kept to',
    input: putEntitySchema,
    output: entityRecordSchema,
  },
  getEntity: {
    method: 'GET',
    path: '/api/entities/{entity}',
    summary: 'What is known of a thing',
    input: entitySchema,
    output: entityRecordSchema,
  },
  listEntities: {
    method: 'GET',
    path: '/api/entities',
    summary: 'The things that an agent knows, by name',
    input: listEntitiesSchema,
    output: z.object({ items: z.array(entityRecordSchema), nextCursor: z.string().nullable() }),
  },
  deleteEntity: {
    method: 'DELETE',
    path: '/api/entities/{entity}',
    summary: 'Forget a thing with all that is known of it',
    input: entitySchema,
    output: z.object({ name: z.string(), agentId: z.string() }),
  },
} as const;
