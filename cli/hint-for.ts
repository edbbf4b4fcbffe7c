/** What to do about a refusal, as a command that can be typed: the server cannot know how it was asked. */
import type { Command } from 'commander';
import type { AppError } from '../contract/errors.ts';
import { hintFor as wordsFor } from '../contract/hints.ts';
import { commandAgain, forShell } from './next-page.ts';

/** A longer command is not typed again for a hint. */
const againCharsMax = 160;
/** Nor are these: one has a prompt in it and values of variables, the other deletes. */
const neverAgain = ['run', 'delete'];

export function hintFor(error: AppError, command: Command | null): string | null {
  const { message } = error;
  const own = command === null ? null : ofCommand(error, command);
  const id = /\bsub_\w+/.exec(message)?.[0];
  const words = wordsFor('cli', error.hint)
    ?.replaceAll('<id>', id ?? '<id>')
    .replaceAll('<command>', command === null ? '<command>' : nameOf(command));
  return own ?? words ?? null;
}

/** As it is typed behind `offshoot`. */
const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

function ofCommand({ code, message, hint }: AppError, command: Command): string | null {
  const [, agents] = /^several agents have a session .*: (.+)$/s.exec(message) ?? [];
  if (agents !== undefined) return withAgent(command, agents.split(', '));
  if (code === 'unknown_parent') {
    return `\`${sessionsOf(command)}\` shows those that there are. Without --parent it is a root.`;
  }
  if (hint !== null) return null;
  const [, invocation] = /^there is no invocation (.+)$/s.exec(message) ?? [];
  if (invocation !== undefined) return ofInvocation(invocation);
  if (message.startsWith('there is no session ')) return `\`${sessionsOf(command)}\` shows them.`;
  if (code !== 'forbidden') return null;
  if (message.endsWith('outside of what this token may touch')) {
    const isFolder = command.name() === 'run' && message.startsWith('/');
    return `${isFolder ? 'Name a folder that it reaches with -C. ' : ''}\`offshoot sessions\` shows what it reaches.`;
  }
  return 'It takes another token: `offshoot help token create` says how the administrator makes one.';
}

function withAgent(command: Command, agents: string[]): string | null {
  const [agent] = agents;
  if (agent === undefined || !command.options.some(({ long }) => long === '--agent')) return null;
  const again = commandAgain(command, { agent });
  const isTold = again.length <= againCharsMax && !neverAgain.includes(command.name());
  if (isTold) return `Say whose: \`${again}\``;
  return `Say whose: ${agents.map((id) => `--agent ${forShell(id)}`).join(' or ')}`;
}

/** A key is taken for an id where a session is what one wants to see. */
function ofInvocation(name: string): string {
  return name.startsWith('sub_')
    ? '`offshoot list` shows them.'
    : `\`offshoot list\` shows them. Of a session: \`offshoot transcript ${forShell(name)}\``;
}

function sessionsOf(command: Command): string {
  const agent: unknown = command.getOptionValue('agent');
  return typeof agent === 'string'
    ? `offshoot sessions --agent ${forShell(agent)}`
    : 'offshoot sessions';
}
