import { z } from 'zod';
import { withoutNulls, type OrNull } from './absent.ts';

/** Other names for fields, and null for those that are left out. Typed callers see the schema's own names. */
export function withAliases<T extends z.ZodType>(schema: T) {
  return z.preprocess(
    (input: OrNull<z.input<T>>, context) =>
      withoutNulls(foldAliases(input, context.issues), schema),
    schema,
  );
}

/** ADR-005's snake_case forms and the short names, folded before anything is checked. */
export const aliases = {
  mode: 'executionMode',
  execution_mode: 'executionMode',
  parentSessionKey: 'parentSessionId',
  parent_session_id: 'parentSessionId',
  parent_session_key: 'parentSessionId',
  runner_id: 'runnerId',
  agent_id: 'agentId',
  wait_seconds: 'waitSeconds',
  spec_id: 'specId',
  workspace_path: 'workspacePath',
  session_key: 'sessionKey',
  current_session_key: 'currentSessionKey',
  root_session_key: 'rootSessionKey',
  group_by: 'groupBy',
} as const;

/**
 * Two spellings that say the same are one; two that disagree are a mistake of the caller's. Null says nothing, and
 * neither does a blank beside the other.
 */
function foldAliases(input: unknown, context: z.core.ParsePayload['issues']): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const folded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const known = isAlias(name) ? aliases[name] : name;
    const inner = known === 'context' ? foldAliases(value, context) : value;
    const other = Object.hasOwn(folded, known) ? folded[known] : null;
    if (other !== null && saysNothing(inner)) continue;
    if (!saysNothing(other) && other !== inner) {
      context.push({
        code: 'custom',
        path: [known],
        message: `is given twice, under two names, with different values`,
        input,
      });
    }
    folded[known] = inner;
  }
  return folded;
}

const saysNothing = (value: unknown) =>
  value === null || (typeof value === 'string' && value.trim() === '');

function isAlias(name: string): name is keyof typeof aliases {
  return Object.hasOwn(aliases, name);
}
