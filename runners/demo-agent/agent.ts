/** What the demo agent does in one turn. It behaves as a real agent would: a refused child is told, not fatal. */
import { setTimeout as sleep } from 'node:timers/promises';
import { clip } from '../../domain/text.ts';
import type { ExecutionMode, Status } from '../../contract/words.ts';
import { readCallbacks } from './callbacks.ts';
import { parseInstructions, type Instruction } from './instructions.ts';

export interface ChildRequest {
  runnerId: string;
  prompt: string;
  executionMode: ExecutionMode;
  title: string | null;
}

export interface Child {
  id: string;
  title: string | null;
  status: Status;
  answer: string | null;
  error: string | null;
  errorCode: string | null;
}

/** How children are asked for. The key makes a repeat of the same instruction find the same child. */
export interface Offshoot {
  run(request: ChildRequest, key: string): Promise<Child>;
  wait(ids: string[], until: 'any' | 'all'): Promise<{ done: Child[]; open: Child[] }>;
  /** Every callback that this session was ever handed, in the order in which the children ended. */
  callbacks(): Promise<string[]>;
}

export interface AgentDeps {
  /** Null for what was not started by Offshoot. */
  offshoot: { http: Offshoot; mcp: Pick<Offshoot, 'run'> } | null;
  invocationId: string;
  inheritedContext: string | null;
  progress(text: string): void;
  /** Settles when stdout has taken it. */
  write(text: string): Promise<void>;
  crash(): void;
  ignoreTerm(): void;
}

export interface Said {
  answer: string;
  /** Null: it ended well. */
  failure: string | null;
}

/** Longer bodies of callbacks are cut: the answers of a whole tree would come together in its root. */
const callbackCharsMax = 500;

export async function takeTurn(deps: AgentDeps, turn: number, prompt: string): Promise<Said> {
  const isCallbackTurn = turn > 1 && readCallbacks(prompt).length > 0;
  if (isCallbackTurn) {
    // Only the last turn's answer counts, so it tells of all children and not just of the last ones.
    const envelopes = deps.offshoot ? await deps.offshoot.http.callbacks() : [prompt];
    const callbacks = envelopes.flatMap(readCallbacks);
    const lines = callbacks.map(({ body, ...ended }) => told(ended, onOneLine(body)));
    return { answer: lines.join('\n'), failure: null };
  }
  const parsed = parseInstructions(prompt);
  if (parsed.kind === 'talk') return { answer: `You said: ${prompt.trim()}`, failure: null };
  if (parsed.kind === 'mistake') return { answer: '', failure: parsed.message };
  return follow(deps, parsed.instructions);
}

async function follow(deps: AgentDeps, instructions: Instruction[]): Promise<Said> {
  const answer: string[] = [];
  let polled: Child[] = [];
  for (const [index, instruction] of instructions.entries()) {
    switch (instruction.type) {
      case 'say':
        answer.push(instruction.text);
        break;
      case 'context':
        answer.push(deps.inheritedContext ?? 'Nothing inherited.');
        break;
      case 'print':
        deps.progress(instruction.text);
        break;
      case 'spawn': {
        const { child, line } = await spawn(deps, instruction, index);
        if (child !== null && instruction.executionMode === 'ASYNC_POLL') polled.push(child);
        answer.push(line);
        break;
      }
      case 'wait': {
        const { done, lines } = await waitFor(deps, polled, instruction.until);
        polled = polled.filter((child) => !done.has(child.id));
        answer.push(...lines);
        break;
      }
      case 'fail':
        return { answer: answer.join('\n'), failure: instruction.text };
      case 'sleep':
        await sleep(instruction.seconds * 1000);
        break;
      case 'flood':
        await flood(deps, instruction.lines);
        break;
      case 'crash':
        deps.crash();
        await forEver();
        break;
      case 'hang':
        await forEver();
        break;
      case 'ignore-term':
        deps.ignoreTerm();
        break;
    }
  }
  // An agent that has nothing to say has failed, so a silent program says that it is done.
  return { answer: answer.join('\n') || 'Done.', failure: null };
}

async function spawn(
  deps: AgentDeps,
  { via, name, runnerId, executionMode, prompt }: Extract<Instruction, { type: 'spawn' }>,
  index: number,
): Promise<{ child: Child | null; line: string }> {
  const known = name ?? `child ${index + 1}`;
  deps.progress(`asking for ${known} (${executionMode}, ${via})`);
  try {
    if (deps.offshoot === null) throw new Error('this agent was not started by Offshoot');
    const key = `demo/${deps.invocationId}/${index}`;
    const request = { runnerId, executionMode, prompt, title: name };
    const child = await deps.offshoot[via].run(request, key);
    deps.progress(`${known} is ${child.id}, ${child.status}`);
    if (executionMode === 'SYNC') return { child, line: tellChild(child, known) };
    return { child, line: `${known} started (${executionMode})` };
  } catch (error) {
    return { child: null, line: `${known} refused: ${refusal(error)}` };
  }
}

async function waitFor(deps: AgentDeps, children: Child[], until: 'any' | 'all') {
  if (children.length === 0 || deps.offshoot === null) return { done: new Set(), lines: [] };
  deps.progress(`waiting for ${until} of ${children.length}`);
  const ids = children.map((child) => child.id);
  const { done } = await deps.offshoot.http.wait(ids, until);
  // In the order in which they were asked for, whichever ended first.
  done.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  return {
    done: new Set(done.map((child) => child.id)),
    lines: done.map((child) => tellChild(child, child.id)),
  };
}

function tellChild(child: Child, otherwise: string): string {
  const { title, status, errorCode, answer, error } = child;
  return told({ name: title ?? otherwise, status, errorCode }, answer ?? error ?? '(no answer)');
}

function told(
  ended: { name: string; status: string; errorCode: string | null },
  words: string,
): string {
  const code = ended.errorCode === null ? '' : ` (${ended.errorCode})`;
  return `${ended.name} ${ended.status}${code}: ${words}`;
}

function onOneLine(body: string): string {
  const lines = body.split('\n').map((line) => line.trim());
  return clip(lines.filter((line) => line !== '').join(' | '), callbackCharsMax);
}

function refusal(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? `${String(error.code)}: ${error.message}` : error.message;
}

async function flood(deps: AgentDeps, lines: number): Promise<void> {
  for (let n = 1; n <= lines; n += 1) await deps.write(`line ${n} of ${lines}\n`);
}

/** A timer, because a promise alone keeps no process alive. */
function forEver(): Promise<never> {
  setInterval(() => {}, 60_000);
  return new Promise(() => {});
}
