/** What Temporal UI shows of an invocation: summary, details and memo. Short, and no bodies. */
import { limits } from '../contract/limits.ts';
import { searchAttributes } from '../contract/names.ts';
import type { ChildStart } from '../contract/steps.ts';
import { oneLine } from './plain-text.ts';
import { redact } from './redact.ts';
import { clip, firstLine } from './text.ts';

export interface Told {
  id: string;
  workflowId: string;
  spawnNo: number;
  acceptedAt: string;
  title: string | null;
  prompt: string;
  runnerId: string;
  executionMode: string;
  status: string;
  sessionKey: string;
  parentSessionId: string | null;
  rootSessionId: string;
  depth: number;
  workspacePath: string;
  specId: string | null;
  /** Who asked, in words: a title or a session key. */
  askedBy: string | null;
}

/** A name for people: the title given, else the first line of the prompt. Without secrets: it goes to the engine. */
export function titleOf(told: { title: string | null; prompt: string }): string {
  return told.title === null
    ? firstLine(told.prompt, limits.summaryCharsMax - 40)
    : nameFor(told.title);
}

export const nameFor = (title: string) => clip(redact(oneLine(title)), limits.titleCharsMax);

export function childStart(told: Told, registered: readonly string[]): ChildStart {
  return {
    invocationId: told.id,
    workflowId: told.workflowId,
    spawnNo: told.spawnNo,
    acceptedAt: told.acceptedAt,
    summary: clip(
      `${told.runnerId} · ${told.executionMode} · ${titleOf(told)}`,
      limits.summaryCharsMax,
    ),
    details: details(told),
    memo: {
      title: titleOf(told),
      runner: told.runnerId,
      mode: told.executionMode,
      parentSession: told.parentSessionId,
      rootSession: told.rootSessionId,
      depth: told.depth,
    },
    attributes: only(registered, {
      [searchAttributes.title]: titleOf(told),
      [searchAttributes.rootSession]: told.rootSessionId,
      [searchAttributes.parentSession]: told.parentSessionId ?? '',
      [searchAttributes.mode]: told.executionMode,
      [searchAttributes.runner]: told.runnerId,
      [searchAttributes.status]: 'running',
    }),
  };
}

/** What Temporal UI shows of an external session: the parent of all that was asked for in it. */
export function sessionStart(
  told: {
    agentId: string;
    sessionKey: string;
    harness: string | null;
    title: string | null;
    project: string | null;
    parentSessionId: string | null;
    rootSessionId: string;
  },
  registered: readonly string[],
) {
  const { agentId, sessionKey, harness, project } = told;
  const title = nameFor(told.title ?? sessionKey);
  const where = project === null ? '' : ` in \`${project}\``;
  return {
    summary: clip(`${harness ?? 'session'} · ${title}`, limits.summaryCharsMax),
    details: `External session \`${sessionKey}\` of agent \`${agentId}\`${where}`,
    memo: { agent: agentId, session: sessionKey },
    attributes: only(registered, {
      [searchAttributes.title]: title,
      [searchAttributes.rootSession]: told.rootSessionId,
      [searchAttributes.parentSession]: told.parentSessionId ?? '',
    }),
  };
}

export function only(
  registered: readonly string[],
  values: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => registered.includes(name) && value !== ''),
  );
}

function details(told: Told): string {
  const rows: [string, string | null][] = [
    ['Task', titleOf(told)],
    ['Asked by', told.askedBy ?? 'nobody: this is a root'],
    ['Mode', told.executionMode],
    ['Runner', told.runnerId],
    ['Depth', String(told.depth)],
    ['Session', `\`${told.sessionKey}\``],
    ['Root session', `\`${told.rootSessionId}\``],
    ['Workspace', `\`${clip(told.workspacePath, 200)}\``],
    ['Spec', told.specId],
  ];
  const lines = rows
    .filter(([, value]) => value !== null)
    .map(([name, v]) => `| ${name} | ${cell(v!)} |`);
  return `| | |\n| --- | --- |\n${lines.join('\n')}`;
}

const cell = (text: string) => text.replaceAll('|', '\\|');
