import { AppError } from '../contract/errors.ts';
import type { Config } from '../contract/config.ts';
import { hints } from '../contract/hints.ts';
import { limits } from '../contract/limits.ts';
import { identify, sessionKeyFor } from './request-identity.ts';
import type { ParsedInput } from '../contract/operations.ts';
import type { SubAgentRecord } from '../contract/records.ts';
import type { CommandRunner } from '../contract/run.ts';
import { isBelow } from '../domain/is-below.ts';
import { reach } from '../faults/reach.ts';
import { accept, type AcceptRequest } from '../store/lifecycle/accept.ts';
import { findInvocation, type InvocationRow } from '../store/invocations.ts';
import type { SessionRow } from '../store/sessions.ts';
import type { Caller } from './caller.ts';
import { isFolder, requireFiles, requireWorkspace } from './check-workspace.ts';
import type { Deps } from './deps.ts';
import { whoAsks } from './gate.ts';
import { requireReallyInProject } from './scope.ts';
import { answerAccepted, waitIdFor } from './sync-answer.ts';
import { keptTrace } from './traced.ts';

/** Accepts an invocation in one commit, engine or no engine; a SYNC call then waits for its end. */
export async function runSubagent(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'runSubagent'>,
): Promise<SubAgentRecord> {
  const from = performance.now();
  const asked = whoAsks(deps, caller, input);
  const { id, requestHash } = identify(deps, caller, 'runSubagent', {
    ...input,
    parent: asked.parent?.session_key ?? null,
  });
  const waitId = waitIdFor(input.executionMode, asked.parent);
  const { limits: homeLimits } = deps.config();
  // Two calls with one key share what lies on disk under its id: the second begins when the first is
  // decided. There is one server per home, so nobody else writes there.
  const row = await deps.oneAtATime(id, () =>
    orForget(deps, id, async () => {
      const known = requestHash === null ? undefined : findInvocation(deps.store.db, id);
      // A repeat needs no files and no runner any more: it only has to be the same request.
      const surroundings = known
        ? rowSurroundings(known)
        : await prepare(deps, id, caller, input, asked.parent);
      const request: AcceptRequest = {
        id,
        requestHash,
        ...asked,
        ...surroundings,
        prompt: input.prompt,
        executionMode: input.executionMode,
        session: { newKey: sessionKeyFor(id) },
        specId: input.context.specId ?? null,
        title: input.title ?? null,
        detached: input.detached,
        hasEnv: input.context.env !== undefined,
        ...treeLimits(homeLimits, input.limits),
        homeLimits,
        waitId,
        traceparent: keptTrace(caller),
      };
      // Secret values are on disk before the row is: what is accepted is never without them. Those of
      // a call that a crash cut off here are found at the next start, by the row that is missing.
      const { env } = input.context;
      if (env && !known) await deps.secrets.put(id, env);
      reach('secrets kept');
      return deps.store.write((tx) => accept(tx, request));
    }),
  );
  const { executionMode: mode, waitSeconds = null } = input;
  return answerAccepted(deps, caller, { row, mode, waitSeconds, waitId, from });
}

/** What lies on disk for an invocation that was refused goes again. */
async function orForget<T>(deps: Deps, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!findInvocation(deps.store.db, id)) await deps.secrets.remove(id);
    throw error;
  }
}

interface Surroundings {
  runner: CommandRunner;
  workspacePath: string;
  files: string[] | null;
}

function rowSurroundings(row: InvocationRow): Surroundings {
  return {
    runner: JSON.parse(row.runner_json) as CommandRunner,
    workspacePath: row.workspace_path,
    files: row.files_json === null ? null : (JSON.parse(row.files_json) as string[]),
  };
}

async function prepare(
  deps: Deps,
  id: string,
  caller: Caller,
  input: ParsedInput<'runSubagent'>,
  parent: SessionRow | null,
): Promise<Surroundings> {
  const runner = requireRunner(deps, input.runnerId);
  requireFit(runner, input.prompt);
  const workspacePath = await chooseWorkspace(deps, id, input.context.workspacePath, parent);
  await requireReallyInProject(caller, workspacePath);
  const files = input.context.files ?? null;
  return {
    runner,
    workspacePath,
    files: files === null ? null : await requireFiles(workspacePath, files),
  };
}

function requireRunner(deps: Deps, id: string): CommandRunner {
  const runner = deps.runners.find(id);
  if (runner) return runner;
  const known = deps.runners.list().map((info) => info.id);
  throw new AppError('unknown_runner', `there is no runner ${id}; there are: ${known.join(', ')}`, {
    hint: hints.addRunner.http,
  });
}

/** A prompt that would not reach its program is refused before anything is written. */
export function requireFit(runner: CommandRunner, prompt: string): void {
  const bytes = Buffer.byteLength(prompt);
  if (bytes > limits.promptBytesMax) {
    throw new AppError(
      'prompt_too_large',
      `the prompt has ${bytes} bytes; the limit is ${limits.promptBytesMax}`,
      { hint: hints.promptTooLarge.http },
    );
  }
  if (runner.promptVia !== 'arg') return;
  if (prompt.includes('\0')) {
    throw new AppError(
      'bad_request',
      `prompt: must not hold NUL, because the runner ${runner.id} takes it as an argument`,
      { hint: hints.promptAsArgument.http },
    );
  }
  if (bytes > limits.argvPromptBytesMax) {
    throw new AppError(
      'prompt_too_large',
      `the runner ${runner.id} takes its prompt as an argument, which may hold ${limits.argvPromptBytesMax} bytes; this one has ${bytes}`,
      { hint: hints.promptAsArgument.http },
    );
  }
}

/**
 * The one named, else the parent's, else the session's project, else a folder of its own, which the runner host
 * makes when it begins: one that waits needs none yet, and another machine has its own.
 */
async function chooseWorkspace(
  deps: Deps,
  id: string,
  named: string | undefined,
  parent: SessionRow | null,
): Promise<string> {
  if (named !== undefined) return requireWorkspace(named);
  // A managed session's project is the workspace of its invocations; an external one's may be elsewhere.
  const project = parent?.project ?? null;
  if (project !== null && (isBelow(deps.paths.work, project) || (await isFolder(project)))) {
    return project;
  }
  return `${deps.paths.work}/${id}`;
}

function treeLimits(configured: Config['limits'], asked: ParsedInput<'runSubagent'>['limits']) {
  const least = (a: number | undefined, b: number) => Math.min(a ?? b, b);
  return {
    maxDepth: least(asked.maxDepth, configured.maxDepth),
    maxChildren: least(asked.maxChildren, configured.maxChildren),
    wallSeconds: least(asked.wallSeconds, configured.wallSeconds),
  };
}
