/** Sessions as they are now, who is there, and the agents they belong to. Part of contract/operations.ts. */
import { z } from 'zod';
import { agentRecordSchema, presenceSchema, sessionStateSchema } from './records.ts';
import {
  agentSchema,
  bypassSchema,
  createTokenSchema,
  listSessionsSchema,
  putAgentSchema,
  sessionSchema,
} from './session-requests.ts';
import { nothingSchema } from './requests.ts';
import { permissionSchema, scopedRoleSchema } from './words.ts';

export const sessionOperations = {
  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    summary: 'Sessions of an agent that are active, or all of them, those active last first',
    input: listSessionsSchema,
    output: z.object({
      sessions: z.array(sessionStateSchema),
      count: z.number().int().describe('How many this page has'),
      nextCursor: z.string().nullable(),
    }),
  },
  getSession: {
    method: 'GET',
    path: '/api/sessions/{key}',
    summary: 'One session: who holds it, whose child it is, what waits for it',
    input: sessionSchema,
    output: sessionStateSchema,
  },
  bypassSession: {
    method: 'POST',
    path: '/api/sessions/{key}/bypass',
    summary: 'Let hooks do nothing for a session, or something again. MCP tools go on',
    input: bypassSchema,
    output: z.object({ key: z.string(), bypassed: z.boolean() }),
  },
  renewSession: {
    method: 'POST',
    path: '/api/sessions/{key}/renew',
    summary: 'Keep the claim on a session for as long again',
    input: sessionSchema,
    output: z.object({
      key: z.string(),
      renewed: z.boolean().describe('False where no runtime path holds it'),
      expiresAt: z.iso.datetime().nullable(),
    }),
  },
  getPresence: {
    method: 'GET',
    path: '/api/cross-agent/presence',
    summary: 'Which agents are at work where: no keys and no words of theirs',
    input: nothingSchema,
    output: z.object({ agents: z.array(presenceSchema) }),
  },
  getAgent: {
    method: 'GET',
    path: '/api/agents/{id}',
    summary: 'An agent, and who may read its memories',
    input: agentSchema,
    output: agentRecordSchema,
  },
  putAgent: {
    method: 'PUT',
    path: '/api/agents/{id}',
    summary: 'Name an agent, or say who may read its memories',
    input: putAgentSchema,
    output: agentRecordSchema,
  },
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    summary: 'Make a token for one agent, with a role and an end (administrator)',
    input: createTokenSchema,
    output: z.object({
      token: z.string(),
      role: scopedRoleSchema,
      agentId: z.string(),
      project: z.string().nullable(),
      permissions: z.array(permissionSchema),
      expiresAt: z.iso.datetime(),
    }),
  },
} as const;
