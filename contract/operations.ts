/** The one list of what can be asked of the system. HTTP, MCP, CLI and library are derived from it. */
import { z } from 'zod';
import type { Permission } from './words.ts';
import {
  callbackSchema,
  deletedSchema,
  sessionRecordSchema,
  subAgentRecordSchema,
  treeSchema,
  turnSchema,
} from './records.ts';
import { contextOperations } from './context-operations.ts';
import { hookOperations } from './hook-operations.ts';
import { sessionOperations } from './session-operations.ts';
import * as ask from './requests.ts';
import * as sessions from './session-requests.ts';
import * as transcripts from './transcripts.ts';
import { searchAnswerSchema } from './search.ts';
import { systemOperations } from './system-operations.ts';

export interface OperationDeclaration {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Names in braces are fields of the input; the rest comes from the query (GET, DELETE) or the body. */
  path: string;
  summary: string;
  input: z.ZodType;
  output: z.ZodType;
  /** The status of an accepted answer that is not final yet, where there is one. */
  accepted?: 202;
  /** What a scoped token needs for it; `recall` for a GET and `remember` for all else, if it is not said. */
  permission?: Permission;
  /** A hook, and what it answers where it does nothing: bypassed, or by a caller that wants none. */
  idle?: Record<string, unknown>;
}

const recordPage = z.object({
  items: z.array(subAgentRecordSchema),
  nextCursor: z.string().nullable(),
});

export const operations = {
  runSubagent: {
    method: 'POST',
    path: '/api/subagents',
    summary: 'Run a sub-agent',
    input: ask.runSubagentSchema,
    output: subAgentRecordSchema,
    accepted: 202,
  },
  getSubagent: {
    method: 'GET',
    path: '/api/subagents/{id}',
    summary: 'One invocation',
    input: ask.getSubagentSchema,
    output: subAgentRecordSchema,
  },
  listSubagents: {
    method: 'GET',
    path: '/api/subagents',
    summary: 'Invocations, newest first',
    input: ask.listSubagentsSchema,
    output: recordPage,
  },
  waitSubagents: {
    method: 'POST',
    path: '/api/subagents/wait',
    permission: 'recall',
    summary: 'Wait until any or all of several invocations have ended',
    input: ask.waitSubagentsSchema,
    output: z.object({
      done: z.array(subAgentRecordSchema),
      open: z.array(subAgentRecordSchema),
      more: z
        .array(z.string())
        .describe(
          'Ids for which this answer had no room, the ended first: wait for them in another call.',
        ),
    }),
  },
  cancelSubagent: {
    method: 'POST',
    path: '/api/subagents/{id}/cancel',
    summary: 'Cancel an invocation and all that it has asked for',
    input: ask.cancelSubagentSchema,
    output: subAgentRecordSchema,
  },
  sendToSubagent: {
    method: 'POST',
    path: '/api/subagents/{id}/send',
    summary: 'Send a further message to the session of an invocation: a new invocation on it',
    input: ask.sendSchema,
    output: subAgentRecordSchema,
    accepted: 202,
  },
  deleteSubagent: {
    method: 'DELETE',
    path: '/api/subagents/{id}',
    summary: 'Delete an ended invocation with all below it',
    input: ask.getSubagentSchema,
    output: deletedSchema,
  },
  getTranscript: {
    method: 'GET',
    path: '/api/subagents/{id}/transcript',
    summary: "Turns of an invocation's session",
    input: ask.transcriptSchema,
    output: z.object({ turns: z.array(turnSchema), nextAfter: z.number().int().nullable() }),
  },
  registerSession: {
    method: 'PUT',
    path: '/api/sessions/{key}',
    summary: 'Register or touch an external session',
    input: sessions.registerSessionSchema,
    output: sessionRecordSchema,
  },
  deleteSession: {
    method: 'DELETE',
    path: '/api/sessions/{key}',
    summary: 'Delete a session with all below it',
    input: sessions.sessionSchema,
    output: deletedSchema,
  },
  searchSessions: {
    method: 'POST',
    path: '/api/sessions/search',
    permission: 'recall',
    summary: 'Search what was said in sessions, to the last acknowledged turn',
    input: sessions.searchSessionsSchema,
    output: searchAnswerSchema,
  },
  getTree: {
    method: 'GET',
    path: '/api/sessions/{key}/tree',
    summary: 'A session and all that was asked for below it',
    input: sessions.sessionSchema,
    output: treeSchema,
  },
  getSessionTranscript: {
    method: 'GET',
    path: '/api/sessions/{key}/transcript',
    summary: 'What a session has said, as text or in pages of turns',
    input: transcripts.sessionTranscriptSchema,
    output: transcripts.sessionTranscriptAnswerSchema,
  },
  exportSession: {
    method: 'GET',
    path: '/api/sessions/{key}/export',
    summary: 'A session as lines of JSON, in pages',
    input: transcripts.exportSessionSchema,
    output: transcripts.exportSessionAnswerSchema,
  },
  importSession: {
    method: 'POST',
    path: '/api/sessions/import',
    summary: 'Take in what an export gave; what is there already is not added (administrator)',
    input: transcripts.importSessionSchema,
    output: transcripts.importSessionAnswerSchema,
  },
  getCallbacks: {
    method: 'GET',
    path: '/api/sessions/{key}/callbacks',
    summary: 'Messages from ended children, in the order in which they ended',
    input: sessions.callbacksSchema,
    output: z.object({
      callbacks: z.array(callbackSchema),
      remaining: z
        .number()
        .int()
        .describe('How many come after these: ask for them with the last id as `after`'),
    }),
  },
  ackCallbacks: {
    method: 'POST',
    path: '/api/sessions/{key}/callbacks/ack',
    summary: 'Say that callbacks have been read',
    input: sessions.ackCallbacksSchema,
    output: z.object({ acknowledged: z.array(z.string()) }),
  },
  getSpecHistory: {
    method: 'GET',
    path: '/api/specs/{specId}/history',
    summary: 'Invocations made for a spec, newest first',
    input: ask.specHistorySchema,
    output: recordPage,
  },
  ...hookOperations,
  ...systemOperations,
  ...contextOperations,
  ...sessionOperations,
} as const satisfies Record<string, OperationDeclaration>;

export type OperationName = keyof typeof operations;
export type OperationInput<N extends OperationName> = z.input<(typeof operations)[N]['input']>;
export type ParsedInput<N extends OperationName> = z.output<(typeof operations)[N]['input']>;
export type OperationOutput<N extends OperationName> = z.output<(typeof operations)[N]['output']>;
