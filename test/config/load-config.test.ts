import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { createConfigSource, loadConfig } from '../../config/index.ts';
import { readmeBlock } from '../support/readme.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-config-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});
const write = (name: string, text: string) => writeFileSync(join(home, name), text);

function mistakeOf(): { code: string; message: string; hint: string | null } {
  try {
    loadConfig(home);
  } catch (error) {
    return error as ReturnType<typeof mistakeOf>;
  }
  throw new Error('the configuration was taken');
}

test('without a file, and with an empty one, every default holds', () => {
  const config = loadConfig(home);
  expect(config.runners).toEqual({});
  expect(config.limits.slots).toBe(4);
  write('config.yaml', '# nothing yet\n');
  expect(loadConfig(home)).toEqual(config);
});

test('YAML and JSON say the same', () => {
  write('config.yaml', 'runners:\n  lint:\n    kind: command\n    command: eslint\n');
  const fromYaml = loadConfig(home);
  rmSync(join(home, 'config.yaml'));
  write('config.json', '{"runners":{"lint":{"kind":"command","command":"eslint"}}}');
  expect(loadConfig(home)).toEqual(fromYaml);
  expect(fromYaml.runners['lint']).toMatchObject({ promptVia: 'stdin', onLost: 'fail' });
});

test("the README's examples are taken as they stand there", () => {
  write('config.yaml', readmeBlock('yaml', 'command: claude'));
  const { claude } = loadConfig(home).runners;
  expect(claude).toMatchObject({ command: 'claude', result: 'json', resultPath: 'result' });
  expect(claude!.args.slice(0, 3)).toEqual(['-p', '--output-format', 'json']);
  expect(JSON.parse(claude!.args[claude!.args.indexOf('--mcp-config') + 1]!)).toHaveProperty(
    'mcpServers.offshoot.args',
    ['mcp'],
  );
  write('config.yaml', readmeBlock('yaml', 'listen:'));
  expect(loadConfig(home).server).toMatchObject({ listen: '10.0.0.1' });
});

test('wrong keys and values are named, with the file, all at once', () => {
  write(
    'config.json',
    '{"runners":{"lint":{"kind":"command","comand":"x"}},"limits":{"slots":0},"sever":{}}',
  );
  const { code, message } = mistakeOf();
  expect(code).toBe('config_invalid');
  expect(message).toContain(join(home, 'config.json'));
  expect(message).toContain('runners.lint.comand: is not a known key');
  expect(message).toContain('runners.lint.command: ');
  expect(message).toContain('limits.slots: ');
  expect(message).toContain('sever: is not a known key');
});

test('mistakes of meaning are named beside those of form, in the same run', () => {
  const a = { kind: 'command', command: 'claude -p', resultPath: 'a', turns: 'yes' };
  const Upper = { kind: 'command', comand: 'x', command: 'x', env: { A: '${B' } };
  const wrong = { kind: 'command', command: 'x', result: 'xml', resultPath: 'a' };
  const runners = { a, Upper, wrong, none: null };
  write('config.json', JSON.stringify({ runners, limits: { slots: 0 } }));
  const { message } = mistakeOf();
  expect(message.split('\n').map((line) => line.trim().split(':')[0])).toEqual([
    expect.stringContaining('has 9 mistakes'),
    'runners.a.turns',
    'runners.a.resultPath',
    'runners.Upper.env.A',
    'runners.Upper.comand',
    'runners.wrong.result',
    'runners.none',
    'runners.Upper',
    'limits.slots',
    'runners.a.command',
  ]);
});

test.each([
  ['config.json', '{"runners": ', 'is not JSON'],
  ['config.yaml', 'runners: {a: 1\nb', 'is not YAML'],
  ['config.yaml', 'a: 1\na: 2\n', 'is not YAML: Map keys must be unique'],
  ['config.yaml', '- 1\n', '(top level)'],
  ['config.yaml', '#'.repeat(limits.configBytesMax + 1), 'are the most that are read'],
])('%s with %j is refused by name', (name, text, reason) => {
  write(name, text);
  const { message } = mistakeOf();
  expect(message).toContain(join(home, name));
  expect(message).toContain(reason);
});

const lint = (more: object, id = 'lint') => ({ runners: { [id]: more } });
const command = (more: object) => lint({ kind: 'command', command: 'x', ...more });

test.each([
  [{ runners: null }, 'runners: is empty: give it a group of keys, or remove the key'],
  [lint({ command: 'x' }), 'runners.lint.kind: is missing: it must be `command`'],
  [
    lint({ kind: 'command' }),
    'runners.lint.command: is missing: it must be the program to run: a name on the PATH, or a path',
  ],
  [command({ comand: 'x' }), 'runners.lint.comand: is not a known key; did you mean `command`?'],
  [{ engine: { zzz: 1 } }, 'engine.zzz: is not a known key; there are retentionDays, namespace'],
  [command({ promptVia: 'pipe' }), 'must be one of `stdin`, `arg`, `file`, not "pipe"'],
  [command({ timeoutSeconds: 0 }), 'runners.lint.timeoutSeconds: must be 1 or more'],
  [command({ turns: 'yes' }), 'runners.lint.turns: must be `true` or `false`, not "yes"'],
  [{ limits: { slots: 1.5 } }, 'limits.slots: must be a whole number, not 1.5'],
  [command({ resultPath: 'a' }), 'runners.lint.resultPath: counts only with `result: json`'],
  [command({ result: 'json', resultPath: 5 }), 'must be a path such as `result`'],
  [command({ env: { A: '${B' } }), 'runners.lint.env.A: has a `${` that is not `${NAME}`'],
  [command({ env: { A: '${B-c}' } }), 'runners.lint.env.A: has a `${` that is not `${NAME}`'],
  [lint({ kind: 'command', command: 'x' }, 'Lint'), 'runners.Lint: must be named in lower-case'],
  [
    command({ command: 'claude -p' }),
    'runners.lint.command: is one program, not a command line; did you mean command: claude and args: ["-p"]?',
  ],
  [command({ command: '/bin/sh -c x' }), 'did you mean command: /bin/sh and args: ["-c","x"]?'],
  [command({ command: './lint.sh --fix' }), 'did you mean command: ./lint.sh'],
])('%j is refused in words that say what to do', (config, words) => {
  write('config.json', JSON.stringify(config));
  const { message, hint } = mistakeOf();
  expect(message).toContain(words);
  expect(message).not.toMatch(/Invalid|expected|received/);
  expect(hint).toMatch(/^Every key is described in \/.*\/docs\/configuration\.md$/);
});

test.each([
  [command({ env: { A: '${B} and $C' }, args: ['-c', 'echo ${X:-y}'] })],
  [command({ command: './my tools/lint.sh' })],
  [command({ command: '/no/such folder/lint' })],
])('%j is taken', (config) => {
  write('config.json', JSON.stringify(config));
  expect(loadConfig(home).runners['lint']).toBeDefined();
});

test("a value that may be secret is not in the mistake's words", () => {
  write('config.json', JSON.stringify(command({ env: { PIN: 12345 } })));
  expect(mistakeOf().message).toContain('runners.lint.env.PIN: must be text: put it into quotes');
  expect(mistakeOf().message).not.toContain('12345');
});

test.each<[string, (file: string) => void]>([
  ['a pipe', (file) => execFileSync('mkfifo', [file])],
  ['a link to a device without an end', (file) => symlinkSync('/dev/zero', file)],
  ['a folder', (file) => mkdirSync(file)],
])('%s is refused by name instead of being read', (_, make) => {
  const file = join(home, 'config.yaml');
  make(file);
  expect(mistakeOf()).toMatchObject({
    code: 'config_invalid',
    message: `${file} cannot be read: it is no regular file`,
    hint: expect.stringContaining('config check'),
  });
});

test('a link to a file is read', () => {
  write('mine.yaml', 'limits:\n  slots: 7\n');
  symlinkSync('mine.yaml', join(home, 'config.yaml'));
  expect(loadConfig(home).limits.slots).toBe(7);
});

test('two files at once are a mistake', () => {
  write('config.yaml', '');
  write('config.json', '{}');
  const { code, message, hint } = mistakeOf();
  expect(code).toBe('config_invalid');
  expect(message).toBe(
    `There are two configurations: ${home}/config.yaml and ${home}/config.json.`,
  );
  expect(hint).toContain('Keep one');
});

test('a source reads a file once, and again after a change', () => {
  write('config.yaml', 'limits:\n  slots: 2\n');
  const source = createConfigSource(home);
  const first = source.read();
  expect(first.limits.slots).toBe(2);
  expect(source.read()).toBe(first);
  write('config.yaml', 'limits:\n  slots: 12\n');
  expect(source.read().limits.slots).toBe(12);
  write('config.yaml', 'limits:\n  slots: many\n');
  expect(() => source.read()).toThrow('limits.slots');
  // What is under way goes on with what held before the mistake.
  expect(source.lastGood().limits.slots).toBe(12);
  expect(() => createConfigSource(home).lastGood()).toThrow('limits.slots');
  rmSync(join(home, 'config.yaml'));
  expect(source.read().limits.slots).toBe(4);
});

test('a program below a file is not there, which is for the list of runners to say', () => {
  write('config.json', JSON.stringify(command({ command: '/bin/sh/x -c' })));
  expect(loadConfig(home).runners['lint']).toMatchObject({ command: '/bin/sh/x -c' });
});

test.each([
  ['includeEntities: false', 'subagents.includeEntities: is always on'],
  ['includeConstraints: false', 'subagents.includeConstraints: is always on'],
  ['inheritContext: 1', 'subagents.inheritContext: must be `true` or `false`, not 1'],
  ['tailChars: -1', 'subagents.tailChars: must be 0 or more'],
  ['tailChars: 20001', 'subagents.tailChars: must be 20000 or less'],
  ['tailChars: "3000"', 'subagents.tailChars: must be a number, not "3000"'],
  ['parentIdleHours: -1', 'subagents.parentIdleHours: must be 0 or more'],
  ['inheritContex: true', 'subagents.inheritContex: is not a known key; did you mean'],
])('of inherited context, %s is refused by name', (line, reason) => {
  write('config.yaml', `memory:\n  pipelineV2:\n    subagents:\n      ${line}\n`);
  const { code, message } = mistakeOf();
  expect(code).toBe('config_invalid');
  expect(message).toContain(`memory.pipelineV2.${reason}`);
});

test('inherited context is on by default, and what is always on may be said', () => {
  const { subagents } = loadConfig(home).memory.pipelineV2;
  expect(subagents).toEqual({ inheritContext: true, tailChars: 3000, parentIdleHours: 4 });
  write(
    'config.yaml',
    'memory: {pipelineV2: {subagents: {includeEntities: true, parentIdleHours: null}}}',
  );
  expect(loadConfig(home).memory.pipelineV2.subagents.parentIdleHours).toBe(null);
});

test('a file that cannot even be looked at is as none, as it is for whoever loads it', () => {
  symlinkSync('config.yaml', join(home, 'config.yaml'));
  expect(createConfigSource(home).read()).toEqual(loadConfig(home));
});
