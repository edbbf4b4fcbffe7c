/** What a child finds in its environment: an allow-list of ours, then the runner's, the caller's, and the marks of the run. */
import { childEnv } from '../contract/names.ts';
import type { RunSpec } from '../contract/run.ts';
import { traceparentVariable } from '../contract/trace.ts';

export type Environment = Record<string, string>;
export type HostEnvironment = Record<string, string | undefined>;

/** Everything else of the host's environment may hold secrets, and stays here. */
const allowedNames = new Set('PATH HOME LANG TERM USER LOGNAME SHELL TMPDIR TZ'.split(' '));
const allowedPrefix = 'LC_';
const placeholder = /\$\{([^}]*)\}/g;
const ownNames = new Set<string>(Object.values(childEnv));

/** What a runner's `env` names and the host does not have. Our own names are given by each run. */
export function unresolvedVariables(
  runnerEnv: Environment,
  hostEnv: HostEnvironment,
): { variable: string; name: string }[] {
  return Object.entries(runnerEnv).flatMap(([variable, value]) =>
    [...value.matchAll(placeholder)]
      .map(([, name = '']) => name)
      .filter((name) => hostEnv[name] === undefined && !ownNames.has(name))
      .map((name) => ({ variable, name })),
  );
}

export interface Filled {
  env: Environment;
  args: string[];
  /** Where a placeholder without a value stands, and its name. */
  unresolved: string[];
}

export function fillEnvironment(
  spec: RunSpec,
  given: {
    hostEnv: HostEnvironment;
    marker: string;
    contextFile: string;
    promptFile: string | null;
  },
): Filled {
  const own = ownVariables(spec, given);
  const known = { ...defined(given.hostEnv), ...own };
  const unresolved: string[] = [];
  const fill = (text: string, where: string, isPlaceholder: (name: string) => boolean) =>
    text.replaceAll(placeholder, (literal, name: string) => {
      if (!isPlaceholder(name)) return literal;
      if (Object.hasOwn(known, name)) return known[name] ?? '';
      unresolved.push(`\${${name}} in ${where}`);
      return '';
    });

  const runnerEnv = mapValues(spec.runner.env, (value, name) =>
    fill(value, `runners.${spec.runner.id}.env.${name}`, () => true),
  );
  // In arguments only our own names are placeholders: the rest may be meant for a shell.
  const args = spec.runner.args.map((text, index) =>
    fill(text, `runners.${spec.runner.id}.args[${index}]`, (name) => ownNames.has(name)),
  );
  const asked = { ...runnerEnv, ...spec.env };
  return {
    // Our names are taken out even where a run has no value for them, so that none can be forged.
    env: { ...allowed(given.hostEnv), ...without(asked, ownNames), ...own },
    args,
    unresolved,
  };
}

function ownVariables(
  spec: RunSpec,
  given: { marker: string; contextFile: string; promptFile: string | null },
): Environment {
  return defined({
    [childEnv.sessionId]: spec.sessionKey,
    [childEnv.url]: spec.url,
    [childEnv.token]: spec.token,
    [childEnv.context]: given.contextFile,
    [childEnv.turn]: String(spec.turn),
    [childEnv.promptFile]: given.promptFile ?? undefined,
    [childEnv.specId]: spec.specId ?? undefined,
    [childEnv.invocationId]: spec.invocationId,
    [childEnv.run]: given.marker,
    [traceparentVariable]: spec.traceparent ?? undefined,
  });
}

function allowed(hostEnv: HostEnvironment): Environment {
  const entries = Object.entries(defined(hostEnv));
  return Object.fromEntries(
    entries.filter(([name]) => allowedNames.has(name) || name.startsWith(allowedPrefix)),
  );
}

function defined(env: HostEnvironment): Environment {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

function without(env: Environment, names: Set<string>): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

function mapValues(env: Environment, change: (value: string, name: string) => string): Environment {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, change(value, name)]),
  );
}
