/**
 * The demo agent's small language. One instruction per line, or several joined by `;`, done in order.
 *
 *   say <text>                       adds a line to the answer
 *   print <text>                     says at once, on stderr, what is going on
 *   context                          adds the context that it has inherited from its parent
 *   spawn <mode> [as <name>] [runner <id>]: <prompt>
 *                                    asks Offshoot for a child over HTTP. Mode: SYNC (its answer becomes part of this
 *                                    one), ASYNC_POLL (for `wait`), ASYNC_CALLBACK (its answer comes as a later turn);
 *                                    or sync, poll, callback. The runner is `demo` if none is named. A name of
 *                                    several words stands in double quotes
 *   spawn-mcp <mode> …               the same over MCP, as a model's tool call would be
 *   wait | wait any                  waits for all (for one) of the ASYNC_POLL children and adds their answers
 *   sleep <seconds>
 *   flood <lines>                    writes that many lines to stdout at once, ahead of the answer
 *   fail <message>                   ends with code 1; what was to be said is said
 *   crash                            is killed on the spot
 *   hang                             never ends by itself
 *   ignore-term                      from here on does not listen to SIGTERM
 *
 * A text or prompt that holds line ends or `;` stands in braces, so a child's instructions can be given whole:
 *   spawn SYNC as reader: { spawn SYNC as helper: { say found it; say twice }; say read }
 *
 * A prompt that does not begin with an instruction is no program, and is answered as talk.
 */
import { executionModes, type ExecutionMode } from '../../contract/words.ts';

export type Instruction =
  | { type: 'say' | 'print' | 'fail'; text: string }
  | {
      type: 'spawn';
      via: 'http' | 'mcp';
      executionMode: ExecutionMode;
      name: string | null;
      runnerId: string;
      prompt: string;
    }
  | { type: 'wait'; until: 'all' | 'any' }
  | { type: 'sleep'; seconds: number }
  | { type: 'flood'; lines: number }
  | { type: 'context' | 'crash' | 'hang' | 'ignore-term' };

export type Parsed =
  | { kind: 'program'; instructions: Instruction[] }
  | { kind: 'talk' }
  | { kind: 'mistake'; message: string };

export function parseInstructions(prompt: string): Parsed {
  const { statements, isClosed } = split(prompt);
  const first = statements[0];
  if (first === undefined || parseOne(first) === null) return { kind: 'talk' };
  if (!isClosed) return { kind: 'mistake', message: 'a { has no }' };
  const instructions: Instruction[] = [];
  for (const statement of statements) {
    const parsed = parseOne(statement) ?? `not an instruction: ${statement}`;
    if (typeof parsed === 'string') return { kind: 'mistake', message: parsed };
    instructions.push(parsed);
  }
  return { kind: 'program', instructions };
}

/** At line ends and `;` outside of braces. */
function split(text: string): { statements: string[]; isClosed: boolean } {
  const statements: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const char = text[at];
    if (char === '{') depth += 1;
    if (char === '}') depth = Math.max(0, depth - 1);
    const isEnd = char === undefined || (depth === 0 && (char === '\n' || char === ';'));
    if (!isEnd) continue;
    statements.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return { statements: statements.filter((one) => one !== ''), isClosed: depth === 0 };
}

/** Null: no instruction. A text: an instruction with a mistake in it. */
function parseOne(statement: string): Instruction | string | null {
  const [, word = '', rest = ''] = /^([a-z-]+)\b\s*([\s\S]*)$/.exec(statement) ?? [];
  const number = rest === '' ? NaN : Number(rest);
  switch (word) {
    case 'say':
    case 'print':
    case 'fail':
      return rest === '' ? null : { type: word, text: unbraced(rest) };
    case 'spawn':
    case 'spawn-mcp':
      return parseSpawn(word === 'spawn' ? 'http' : 'mcp', rest);
    case 'wait':
      if (rest !== '' && rest !== 'any' && rest !== 'all') return null;
      return { type: 'wait', until: rest === 'any' ? 'any' : 'all' };
    case 'sleep':
      return number >= 0 && number <= 86_400 ? { type: 'sleep', seconds: number } : null;
    case 'flood':
      return Number.isSafeInteger(number) && number >= 0 ? { type: 'flood', lines: number } : null;
    case 'context':
    case 'crash':
    case 'hang':
    case 'ignore-term':
      return rest === '' ? { type: word } : null;
    default:
      return null;
  }
}

const shortModes: Record<string, ExecutionMode> = {
  sync: 'SYNC',
  poll: 'ASYNC_POLL',
  callback: 'ASYNC_CALLBACK',
};

function parseSpawn(via: 'http' | 'mcp', rest: string): Instruction | string | null {
  const parts = /^(\w+)((?:\s+(?:as|runner)\s+(?:"[^"]+"|[^\s:"]+))*)\s*:\s*([\s\S]+)$/.exec(rest);
  if (parts === null) return null;
  const [, mode = '', options = '', prompt = ''] = parts;
  const executionMode = executionModes.find((known) => known === mode) ?? shortModes[mode];
  if (executionMode === undefined) {
    return `${mode} is no mode: there are ${[...executionModes, ...Object.keys(shortModes)].join(', ')}`;
  }
  const option = (name: string) => {
    const found = new RegExp(`\\s${name}\\s+(?:"([^"]+)"|(\\S+))`).exec(options);
    return found?.[1] ?? found?.[2];
  };
  return {
    type: 'spawn',
    via,
    executionMode,
    name: option('as') ?? null,
    runnerId: option('runner') ?? 'demo',
    prompt: unbraced(prompt),
  };
}

/** Without the braces, if the first and the last character are a pair. */
function unbraced(text: string): string {
  if (!text.startsWith('{') || !text.endsWith('}')) return text;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0 && at < text.length - 1) return text;
  }
  return text.slice(1, -1).trim();
}
