/** What agent programs report, by the names under which contract/operations.ts declares it. */
export { hookCompactionComplete } from './compaction-complete.ts';
export { hookPreCompaction } from './pre-compaction.ts';
export { hookSessionCheckpointExtract } from './session-checkpoint-extract.ts';
export { hookSessionEnd } from './session-end.ts';
export { hookSessionStart } from './session-start.ts';
export { hookStop } from './stop.ts';
export { hookSubagentStart } from './subagent-start.ts';
export { hookSubagentStop } from './subagent-stop.ts';
export { hookUserPromptSubmit } from './user-prompt-submit.ts';
export { transcriptRoots } from './transcript-roots.ts';
