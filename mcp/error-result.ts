/** Errors as MCP results: the text is all that a model has, so it holds code, reason and remedy. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '../contract/errors.ts';
import { hintFor, hints } from '../contract/hints.ts';

export function errorResult(error: unknown): CallToolResult {
  const known =
    error instanceof AppError
      ? error
      : new AppError('internal', error instanceof Error ? error.message : String(error));
  const lines = [
    `${isAway(known) ? 'No answer' : 'Refused'} (${known.code}): ${known.message}`,
    `Hint: ${hintFor('mcp', known.hint) ?? hintOf(known)}`,
  ];
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }] };
}

/** Nobody has refused anything: what was asked for may have been accepted. */
const isAway = ({ code }: AppError) => code === 'server_unavailable';

function hintOf(error: AppError): string {
  switch (error.code) {
    case 'bad_request':
      return hints.fields.mcp;
    case 'not_found':
      return 'Ids are found again with list_subagents.';
    case 'capacity':
    case 'children_exceeded':
      return 'Wait for sub-agents that are at work (wait_subagents), then call again.';
    case 'server_unavailable':
    case 'engine_unavailable':
    case 'database_busy':
      return 'The Offshoot server cannot be reached now. A person can start it with `offshoot up`.';
    case 'search_unavailable':
      return 'Go on without it, or try again in a minute.';
    default:
      return 'The same call will be refused again as it is.';
  }
}
