/** `<event> --harness <name>`, in any order. */

export interface HookArgs {
  /** Ours, or the program's own name of the event. */
  name: string;
  harness: string;
}

const usage = 'usage: offshoot hook <event> --harness <name>; `offshoot help hook` says more';

export function readHookArgs(args: readonly string[]): HookArgs | { problem: string } {
  let [name, harness]: (string | undefined)[] = [];
  for (const [index, arg] of args.entries()) {
    if (arg === '--harness') continue;
    if (args[index - 1] === '--harness') harness = arg;
    else if (arg.startsWith('--harness=')) harness = arg.slice('--harness='.length);
    else if (arg.startsWith('-')) return { problem: `unknown option ${arg}; ${usage}` };
    else name ??= arg;
  }
  if (!name || !harness?.trim()) return { problem: usage };
  return { name, harness: harness.trim() };
}
