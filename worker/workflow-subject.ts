/** Whom a workflow is about, by its id: for a line in a log. */
export function workflowSubject(workflowId: string): { invocation?: string; session?: string } {
  const [, invocation] = /^subagent\/(.+)$/.exec(workflowId) ?? [];
  const [, session] = /^session\/[^/]*\/(.+)$/.exec(workflowId) ?? [];
  return { ...(invocation && { invocation }), ...(session && { session }) };
}
