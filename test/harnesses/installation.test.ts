/** What docs/hooks.md gives to paste: each names events that we take, and leaves none out that the program has. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { hooksOf } from '../../harnesses/hooks-of.ts';
import { hookEvents } from '../../harnesses/hooks.ts';

const docs = readFileSync(new URL('../../docs/hooks.md', import.meta.url), 'utf8');
const installing = docs.slice(docs.indexOf('## Installing'), docs.indexOf('\n## Events'));
const blocks = [...installing.matchAll(/```(json|js)\n([^]*?)```/g)].map(([, kind, text]) => ({
  kind: kind!,
  text: text!,
}));

interface Command {
  type: string;
  command?: string;
  bash?: string;
}
type Hooks = Record<string, (Command & { hooks?: Command[] })[]>;

/** Of each program with hook commands: under which event it runs which. */
const installed = new Map<string, [event: string, command: string][]>();
for (const { kind, text } of blocks.filter((one) => one.kind === 'json')) {
  const { hooks } = JSON.parse(text) as { hooks?: Hooks };
  for (const [event, entries] of Object.entries(hooks ?? {})) {
    for (const one of entries.flatMap((entry) => entry.hooks ?? [entry])) {
      const command = (one.command ?? one.bash)!;
      const harness = / --harness ([\w-]+)$/.exec(command)?.[1] ?? kind;
      installed.set(harness, [...(installed.get(harness) ?? []), [event, command]]);
    }
  }
}

test('each program with hook commands has its own', () => {
  expect([...installed.keys()]).toEqual(['claude-code', 'codex', 'gemini-cli', 'copilot-cli']);
});

/** Codex tells no summary, and no program but these two has all that there is. */
const without: Record<string, readonly string[]> = {
  'claude-code': [],
  codex: ['compaction-complete'],
  'gemini-cli': ['compaction-complete', 'subagent-start', 'subagent-stop'],
  'copilot-cli': ['compaction-complete'],
};

test.each([...installed])('%s runs ours under its own events, none left out', async (name, all) => {
  const hooks = await hooksOf(name);
  const taken = all.map(([event, command]) => {
    expect(command).toBe(`offshoot hook ${event} --harness ${name}`);
    return hooks.eventOf(event, { agent_id: 'a1', trigger: 'manual' });
  });
  const some = ['session-checkpoint-extract', ...without[name]!];
  expect([...new Set(taken)].toSorted()).toEqual(
    hookEvents.filter((event) => !some.includes(event)).toSorted(),
  );
});

test.each(['opencode', 'openclaw'])('the plugin for %s tells events that we take', async (name) => {
  const hooks = await hooksOf(name);
  const script = blocks.filter(({ kind }) => kind === 'js').at(name === 'opencode' ? 0 : 1)!.text;
  const events = [
    ...script.matchAll(/'((?:session|chat|experimental|before|after|agent|subagent)[._][\w.]+)'/g),
  ];
  const taken = new Set(events.map(([, event]) => event!));
  expect(taken.size).toBe(name === 'opencode' ? 5 : 9);
  for (const event of taken) expect([event, hooks.eventOf(event, {})]).not.toContain(null);
});
