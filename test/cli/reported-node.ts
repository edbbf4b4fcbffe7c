import type { TreeNode } from '../../contract/records.ts';

/** A session in a tree that a program reports. */
export const reportedNode = (sessionKey: string, fields: Partial<TreeNode> = {}): TreeNode => ({
  sessionKey,
  kind: 'external',
  harness: 'claude-code',
  state: 'active',
  title: null,
  firstWords: null,
  depth: 0,
  invocations: [],
  children: [],
  ...fields,
});
