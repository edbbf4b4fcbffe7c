/** Pins what people type: a command, an argument or an option that goes away breaks somebody's script. */
import type { Command } from 'commander';
import { expect, test } from '@jest/globals';
import { createProgram } from '../../cli/program.ts';
import type { Cli } from '../../cli/deps.ts';

const nowhere = { write: () => undefined, isTerminal: false, hasColor: false, columns: 80 };
const deps = { out: nowhere, err: nowhere, version: '0', now: Date.now };
const program = createProgram({ deps, action: () => async () => undefined } as unknown as Cli);

function lines(command: Command, prefix = ''): string[] {
  return command.commands.flatMap((one) => {
    const name = `${prefix}${one.name()}`;
    const args = one.registeredArguments.map((argument) => {
      const inner = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${inner}>` : `[${inner}]`;
    });
    const options = one.options.map(({ flags }) => flags.replaceAll(', ', '|'));
    const own = [name, ...args, ...options].join(' ');
    if (one.commands.length === 0) return [own];
    // A command with others below it may do something by itself, too.
    const below = lines(one, `${name} `);
    return options.length > 0 ? [own, ...below] : below;
  });
}

test('the commands, their arguments and their options are these', () => {
  expect(`\n${lines(program).join('\n')}\n`).toBe(`
up -d|--detach --port <port> --json
down --leave-agents --json
status --json
run <runner> [prompt] -m|--mode <mode> -t|--title <text> -C|--workspace <folder> -f|--file <path> --spec <id> -e|--env <name[=value]> -d|--detached -p|--parent <session> --agent <id> --max-depth <n> --max-children <n> --wall <seconds> --prompt <text> --prompt-file <file> -w|--wait <seconds> -k|--key <key> -q|--quiet --json
send <id> [prompt] -m|--mode <mode> --prompt <text> --prompt-file <file> -w|--wait <seconds> -k|--key <key> -q|--quiet --json
get <id> --json
list -r|--runner <id> -s|--status <status> -m|--mode <mode> --spec <id> -p|--parent <session> --root <session> --since <time> --until <time> -n|--limit <count> --cursor <cursor> --json
wait <ids...> --any -w|--wait <seconds> --json
cancel <id> --reason <text> --json
delete <id> --session --agent <id> -y|--yes --json
tree [session] --agent <id> --json
transcript <session> -f|--follow --after <seq> -n|--limit <count> --agent <id> --json
logs <id> -f|--follow --after <seq> --json
search <words...> -s|--session <key> --root <key> --agent <id> -p|--project <folder> -n|--limit <count> --by-session --json
sessions --agent <id> -p|--project <folder> --harness <name> --since <time> --active -n|--limit <count> --cursor <cursor> --json
context <session> --agent <id> --json
export <session> -o|--out <file> --raw --agent <id>
import [file] --agent <id> --json
callbacks [session] -s|--status <state> --ack --agent <id> --json
runners --json
config check --json
config show --json
config path --json
doctor --fix --json
backup --to <file> --json
restore [file] --json
engine status --json
engine path --json
engine build --json
worker --server <url> --token-file <file> --name <id> --slots <count>
worker token <name> --revoke --json
token create --role <role> --agent <id> -p|--project <folder> --permission <names...> --ttl <time> --json
mcp
hook <event> --harness <name>
exit-codes
`);
});
