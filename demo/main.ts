/**
 * `npm run demo`: starts a stack of its own, runs a parent with children in all modes, shows what came of it. In a
 * home of its own, whatever OFFSHOOT_HOME says: that one may be somebody's, and in use. `--home` names another.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endWithReader } from '../cli/end-with-reader.ts';
import { outputOf } from '../cli/process-terminal.ts';
import { reportError } from '../cli/report-error.ts';
import { renderTurn } from '../cli/render/transcript.ts';
import { createStyle } from '../cli/render/style.ts';
import { renderTree } from '../cli/render/tree.ts';
import { createClient, discover, type OffshootClient } from '../client/index.ts';
import { loadConfig } from '../config/index.ts';
import { describeEvent, launch } from '../launcher/index.ts';
import { leftWords, untilWords } from './keep-words.ts';
import { demoUsage, readFlags } from './read-flags.ts';
import { story } from './story.ts';

const noColor = Boolean(process.env['NO_COLOR']);
const flags = flagsOrExit();
const home = resolve(flags.home ?? mkdtempSync(join(tmpdir(), 'offshoot-demo-')));
const isOwnHome = flags.home === null;
const style = createStyle(process.stdout.isTTY && !noColor);
const say = (text = '') => process.stdout.write(`${text}\n`);

async function demo(): Promise<number> {
  endWithReader();
  say(style.bold('Starting Offshoot'));
  const launcher = await launch({
    home,
    port: 0,
    readConfig: () => loadConfig(home),
    env: process.env,
    onEvent: (event) => say(style.dim(`  ${describeEvent(event)}`)),
  });
  const interrupt = () => void launcher.stop();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  let isGood = false;
  try {
    await launcher.ready;
    // What is stopped meanwhile answers no more.
    const shown = show(createClient(discover(home)));
    isGood = await Promise.race([shown, launcher.finished.then(() => false)]);
    if (flags.keep) await keepUntilInterrupted(launcher.finished);
  } finally {
    say(style.dim('\nStopping'));
    await launcher.stop();
    if (isOwnHome && !flags.keep) rmSync(home, { recursive: true, force: true });
    else say(leftWords(home, isOwnHome));
  }
  // Whoever has kept the stack up has tried it already.
  if (isGood && !flags.keep) tellNext();
  return isGood ? 0 : 1;
}

async function show(client: OffshootClient): Promise<boolean> {
  say(`\n${style.bold(story.title)} ${style.dim('— what the parent is told to do:')}\n`);
  say(indent(story.prompt));
  say(`\n${style.bold('Its transcript, live')}\n`);
  const accepted = await client.call('runSubagent', {
    runnerId: 'demo',
    title: story.title,
    prompt: story.prompt,
    executionMode: 'ASYNC_POLL',
  });
  for await (const event of client.events(accepted.id)) {
    // An answer has been seen on stdout, and stands below once more.
    if (event.event === 'turn' && !['user', 'assistant'].includes(event.data.role)) {
      say(indent(renderTurn(event.data, style)));
    }
  }
  const tree = await client.call('getTree', { key: accepted.sessionKey });
  const parent = await client.call('getSubagent', { id: accepted.id });
  say(`\n${style.bold('Who asked whom, in which mode, and how it ended')}\n`);
  say(indent(renderTree(tree, { style, width: (process.stdout.columns ?? 100) - 2 })));
  say(`\n${style.bold('The answers')}`);
  const { items } = await client.call('listSubagents', { rootSessionId: accepted.sessionKey });
  for (const record of items.toReversed()) {
    say(`\n  ${style.bold(record.title ?? record.id)} ${style.dim(record.status)}`);
    say(indent(indent(record.error ?? record.result?.content ?? '(no answer)')));
  }
  return parent.status === 'completed' && items.length === 8;
}

function tellNext(): void {
  const next = [
    ['npm run demo -- --keep', 'the same, and leaves the stack up to look at: API, Temporal UI'],
    ['npm start', 'a stack of your own, which stays up'],
    ['npx offshoot run demo "say hello"', 'with it up, from another terminal'],
    ['README.md', 'how your own agent becomes a runner'],
  ] as const;
  const width = Math.max(...next.map(([what]) => what.length));
  say(`\n${style.bold('What to try next')}\n`);
  for (const [what, why] of next) say(`  ${what.padEnd(width)}  ${style.dim(why)}`);
}

async function keepUntilInterrupted(finished: Promise<unknown>): Promise<void> {
  const { url, server } = discover(home);
  say(
    `\n  API          ${url}/api/docs\n  Temporal UI  ${server.temporal.uiUrl}\n  home         ${home}`,
  );
  say(`\n${untilWords(home)}`);
  await finished;
}

function flagsOrExit() {
  try {
    return readFlags(process.argv.slice(2));
  } catch (error) {
    const err = outputOf(process.stderr, noColor);
    process.exit(reportError({ err }, error, false, demoUsage));
  }
}

const indent = (text: string) => text.trimEnd().replaceAll(/^/gm, '  ');

demo().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
