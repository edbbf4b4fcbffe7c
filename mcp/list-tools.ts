/** The list of tools, with the runners that exist now named where a model chooses one. */
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import type { OffshootClient } from '../client/index.ts';
import { anySignal } from '../contract/any-signal.ts';
import { bounds } from './bounds.ts';
import { runSubagent } from './run-subagent.ts';
import { toolSchemas } from './tool-schema.ts';
import { tools } from './tools.ts';

export async function listTools(
  connect: () => OffshootClient,
  signal: AbortSignal,
): Promise<ListedTool[]> {
  const runners = await availableRunners(connect, signal);
  return tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool === runSubagent ? tool.description + runnersText(runners) : tool.description,
    ...toolSchemas(tool),
    annotations: tool.annotations,
  }));
}

/** Only help for the model: without a server the tools are listed all the same, and each call says why it fails. */
async function availableRunners(
  connect: () => OffshootClient,
  signal: AbortSignal,
): Promise<string[]> {
  const limit = anySignal([signal, AbortSignal.timeout(bounds.runnersMs)]);
  try {
    const { runners } = await connect().call('listRunners', {}, { signal: limit });
    return runners.filter((runner) => runner.available).map((runner) => runner.id);
  } catch {
    return [];
  }
}

function runnersText(runners: string[]): string {
  if (runners.length === 0) return '';
  return `\n\nRunners that can be named now: ${runners.toSorted().join(', ')}.`;
}
