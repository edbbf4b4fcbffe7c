/** The tools, in the order in which a host shows them. */
import { cancelSubagent } from './cancel-subagent.ts';
import { getCallbacks } from './get-callbacks.ts';
import { getSubagent } from './get-subagent.ts';
import { listSubagents } from './list-subagents.ts';
import { runSubagent } from './run-subagent.ts';
import { sessionSearch } from './session-search.ts';
import type { Tool } from './tool.ts';
import { waitSubagents } from './wait-subagents.ts';

export const tools: readonly Tool[] = [
  runSubagent,
  waitSubagents,
  getSubagent,
  listSubagents,
  cancelSubagent,
  getCallbacks,
  sessionSearch,
];
