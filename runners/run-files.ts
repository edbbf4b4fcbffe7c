/** The files a run is given: its context, and its prompt where the runner wants a file. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunSpec } from '../contract/run.ts';

export interface RunFiles {
  contextFile: string;
  promptFile: string | null;
}

/** At once: each round through the thread pool would cost more than these writes. */
export function writeRunFiles(spec: RunSpec, runDir: string): RunFiles {
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const contextFile = resolve(runDir, 'context.json');
  writeOwnFile(contextFile, `${JSON.stringify(contextOf(spec), null, 2)}\n`);
  if (spec.runner.promptVia !== 'file') return { contextFile, promptFile: null };
  const promptFile = resolve(runDir, 'prompt.txt');
  writeOwnFile(promptFile, spec.prompt);
  return { contextFile, promptFile };
}

/** The shape is versioned: programs of others read it. */
function contextOf(spec: RunSpec) {
  return {
    version: 1,
    invocationId: spec.invocationId,
    sessionKey: spec.sessionKey,
    agentId: spec.agentId,
    parentSessionId: spec.parentSessionId,
    rootSessionId: spec.rootSessionId,
    depth: spec.depth,
    turn: spec.turn,
    workspacePath: spec.workspacePath,
    specId: spec.specId,
    files: spec.files,
    inheritedContext: spec.inheritedContext,
  };
}

/** The mode of `writeFile` counts for new files only, so it is set for an old one too. */
function writeOwnFile(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  chmodSync(path, 0o600);
}
