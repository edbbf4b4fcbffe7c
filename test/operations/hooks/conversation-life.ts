/** A program that reports its conversation step by step to the real hooks. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { SHARED_MIN } from '../../../domain/snapshot-place.ts';
import type { HookRoom } from './hooks-fixture.ts';
import { write, type Life, type Message, type Step } from './conversation-told.ts';

export interface Lived {
  /** The conversation as it is now. */
  messages: Message[];
  /** Those of it that any hook has told, in its own words or by a transcript; in order. */
  known: Message[];
  /**
   * Whether its order is known: a transcript that lags behind what hooks have told may say nothing of how it stands
   * to that, until one has told that, too.
   */
  isInOrder: boolean;
  /** What was said and taken back again. */
  left: Set<string>;
  /** Everything that was ever told. */
  told: Set<string>;
}

export const spoken = ({ role, text }: { role: string; text: string }) => `${role}: ${text}`;

/** Words may stand in a transcript with others around them. */
const mayBe = (told: Message, written: Message) =>
  told.role === written.role && written.text.includes(told.text);

/** `look` is called after each step. What is not told by then comes at the end, in a transcript. */
export async function live(
  room: HookRoom,
  life: Life,
  look: (lived: Lived) => void,
): Promise<Lived> {
  const program = createProgram(room, life);
  for (const step of life.steps) {
    await program.take(step);
    look(program.lived());
  }
  await program.finish();
  look(program.lived());
  return program.lived();
}

function createProgram(room: HookRoom, life: Life) {
  const { harness, isKeyed, way } = life;
  const hasIds = life.hasIds && life.format !== 'plain';
  let { messages } = life;
  const left = new Set<string>();
  const told = new Set<string>();
  /** By index: who has told it first, and in which order. */
  let known = new Map<number, 'hook' | 'transcript'>();
  let edits = 0;
  let editedAt = -1;
  /** Gone back in, and no transcript has told of it. */
  let isUntold = false;
  const path = room.stage('session.jsonl', '');
  const sent: { call: () => Promise<unknown>; isTranscriptAlone: boolean }[] = [];
  let said = 0;
  let covered = 0;
  let lagged = -1;
  let onDisk = '';
  let wasPart = false;
  let lastWindow = '';

  const send = async (name: string, hook: object) => {
    const key = isKeyed ? { idempotencyKey: `k${sent.length}` } : {};
    const call = () => room.ask(name as 'hookStop', { harness, sessionKey: 's1', ...key, ...hook });
    sent.push({ call, isTranscriptAlone: Object.keys(hook).join() === 'transcript' });
    await call();
  };
  const tell = (index: number, by: 'hook' | 'transcript') => {
    told.add(spoken(messages[index]!));
    if (!known.has(index)) known.set(index, by);
  };
  const indices = () => [...known.keys()].toSorted((a, b) => a - b);
  const knownNow = () => indices().map((index) => messages[index]!);

  /** Whether a transcript of so many ends before what hooks have told, and does not say how the two stand to each other. */
  function isOpen(until: number): boolean {
    const ahead = indices().find((index) => index >= until);
    const last = indices().findLast((index) => index < until) ?? -1;
    const more = messages.slice(last + 1, until);
    if (ahead === undefined || more.length === 0) return false;
    if (covered === 0) return true;
    const isAnswered = messages[ahead]!.role === 'assistant' && more[0]!.role === 'user';
    return !isAnswered && more.some(({ role }) => role === 'user');
  }

  function transcript(from: number, until: number, by: 'inline' | 'path') {
    if (isOpen(until)) lagged = Math.max(...known.keys());
    for (let index = from; index < until; index += 1) tell(index, 'transcript');
    covered = Math.max(covered, until);
    if (until > editedAt) isUntold = false;
    const content = write(messages.slice(from, until), life);
    if (until > from) wasPart = from > 0;
    lastWindow = messages.slice(from, until).map(spoken).join('\n');
    if (by === 'inline') return until === from ? {} : { transcript: content };
    // As a program does: what is there is added to, unless its end has to be written anew.
    if (content.startsWith(onDisk)) appendFileSync(path, content.slice(onDisk.length));
    else writeFileSync(path, content);
    onDisk = content;
    return { transcriptPath: path };
  }

  /** Where a transcript ends that lags behind: not where it has words that a hook has told as later ones. */
  function endOf(lag: number): number {
    const end = Math.max(0, said - lag);
    const fresh = messages
      .slice(0, end)
      .filter((_, index) => !known.has(index))
      .map(spoken);
    const isClearly = indices().every(
      (index) => index < end || !fresh.includes(spoken(messages[index]!)),
    );
    // From who has told a part before, what was reported already may be said again.
    const isAnew = wasPart && !hasIds && !tells(messages.slice(0, end).map(spoken));
    return isClearly && !isAnew ? end : said;
  }

  /** Whether these words may be those of the last prompt: then nobody can say whether they came twice. */
  function isMaybeRepeat(index: number, answer: string | null): boolean {
    const last = indices().at(-1);
    // The transcript that comes with it has it already, or there is none to be taken for it.
    if (last === undefined || last === index) return false;
    if (!mayBe(messages[index]!, messages[last]!)) return false;
    const isUnheard = answer !== null && !knownNow().some(({ text }) => text === answer);
    return !isUnheard && !(isKeyed && known.get(last) === 'hook');
  }

  /** The same of an answer: those since the last prompt, by what is read and by what hooks have told. */
  function isMaybeHeard(answer: Message): boolean {
    const since = (some: number[]) => {
      const after = some.findLastIndex((index) => messages[index]!.role === 'user') + 1;
      return some.slice(after).some((index) => mayBe(answer, messages[index]!));
    };
    const byHooks = [...known].flatMap(([index, by]) => (by === 'hook' ? [index] : []));
    return since(indices()) || since(byHooks);
  }

  async function say(step: Extract<Step, { do: 'say' }>) {
    const index = said;
    said += 1;
    const { role, text } = messages[index]!;
    const before = messages[index - 1];
    const { isTold, withAnswer, brings } = life.hasPromptsAlone
      ? ({ isTold: role === 'user', withAnswer: true, brings: 'nothing' } as const)
      : step;
    if (!isTold) return undefined;
    const end = { nothing: 0, 'all before': index, all: said }[brings];
    const brought = end === 0 ? {} : transcript(startFor(end, 0), end, 'inline');
    if (role === 'assistant') {
      if (!known.has(index) && isMaybeHeard(messages[index]!)) return send('hookStop', brought);
      tell(index, 'hook');
      return send('hookStop', { lastAssistantMessage: text, ...brought });
    }
    // An answer that stands before what was taken back would be told as the answer to that.
    const mayAnswer = withAnswer && before?.role === 'assistant' && index !== editedAt;
    const isAnswered = mayAnswer && (known.has(index - 1) || !isMaybeHeard(before));
    if (isMaybeRepeat(index, isAnswered ? before!.text : null)) {
      return send('hookPreCompaction', brought);
    }
    if (isAnswered) tell(index - 1, 'hook');
    tell(index, 'hook');
    return send('hookUserPromptSubmit', {
      userMessage: text,
      ...(isAnswered && { lastAssistantMessage: before!.text }),
      ...brought,
    });
  }

  /** Of the last messages so many before the first that is new, and more until it is clear where they stand. */
  function startFor(end: number, more: number): number {
    if (way === 'whole' || way === 'edited') return 0;
    // The last messages alone say nothing of how those before stand to each other.
    if (way === 'mixed' && lagged >= covered) return 0;
    for (let from = Math.max(0, Math.min(covered, end - 1) - more); ; from -= 1) {
      if (from <= 0 || isClear(from, end)) return Math.max(0, from);
    }
  }

  function isClear(from: number, end: number): boolean {
    if (hasIds) return true;
    const window = messages.slice(from, end).map(spoken);
    const before = messages.slice(0, covered).map(spoken);
    // What a program writes again without ids, and nothing more, it has not said again.
    if (window.join('\n') === lastWindow && from + window.length > covered) return false;
    // With the first words of all of them it could be all of them, unless others were a part.
    const isFirstAgain = window[0] === before[0];
    if (isFirstAgain && !(wasPart && !tells(window))) return false;
    const shared = covered - from;
    const overlap = window.findLastIndex(
      (_, at) => before.slice(-at - 1).join('\n') === window.slice(0, at + 1).join('\n'),
    );
    if (overlap + 1 !== shared) return false;
    return (
      shared > 0 || window.every((words) => !before.includes(words)) || (wasPart && !tells(window))
    );
  }

  /** As the rule is in domain/snapshot-place.ts: whether these are not just said again. */
  const tells = (window: string[]) =>
    [...new Set(window)].map((words) => /^assistant: (.*)/.exec(words)?.[1] ?? '').join('')
      .length >= SHARED_MIN;

  async function edit({ back, saying }: Extract<Step, { do: 'edit' }>) {
    // Who goes back takes a prompt back, and with it what came after; what shares nothing with what
    // is known could be the last messages as well as all of them.
    let from = Math.max(0, said - back);
    while (from > 0 && messages[from]!.role !== 'user') from -= 1;
    if (from === 0) return;
    messages.slice(from, said).forEach((message) => left.add(spoken(message)));
    edits += 1;
    editedAt = from;
    isUntold = true;
    const anew = Array.from({ length: saying + 1 }, (_, index): Message => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      text: `the words of edit ${edits}, message ${index}`,
      id: `msg_${edits}_${index}`,
    }));
    messages = [...messages.slice(0, from), ...anew];
    known = new Map([...known].filter(([index]) => index < from));
    said = from;
    covered = Math.min(covered, from);
    lagged = Math.min(lagged, from - 1);
  }

  async function take(step: Step): Promise<void> {
    if (step.do === 'say' && said < messages.length) await say(step);
    else if (step.do === 'snapshot') {
      const names = {
        prompt: 'hookPreCompaction',
        stop: 'hookStop',
        extract: 'hookSessionCheckpointExtract',
      };
      await send(names[step.with], transcript(0, endOf(step.lag), step.by));
    } else if (step.do === 'window' && said > 0) {
      await send('hookStop', transcript(startFor(said, step.more), said, 'inline'));
    } else if (step.do === 'edit' && said > 0) await edit(step);
    else if (step.do === 'retry' && sent.length > 0) {
      // Without a key only the last one is known again, and lines that have ids.
      const again = sent.filter(
        ({ isTranscriptAlone }, at) =>
          isKeyed || at === sent.length - 1 || (hasIds && isTranscriptAlone && way === 'windows'),
      );
      await again[step.which % again.length]!.call();
    } else if (step.do === 'compact') {
      await send('hookCompactionComplete', { summary: `until ${said}` });
    } else if (step.do === 'prepare') await send('hookPreCompaction', {});
    else if (step.do === 'start') await send('hookSessionStart', { source: 'resume' });
    else if (step.do === 'clear') await send('hookSessionStart', { source: 'clear' });
    else if (step.do === 'end') await send('hookSessionEnd', {});
  }

  async function finish(): Promise<void> {
    said = messages.length;
    if (known.size === said && !isUntold) await send('hookSessionEnd', {});
    else await send('hookSessionEnd', transcript(startFor(said, 0), said, 'inline'));
  }

  const lived = (): Lived => {
    return { messages, known: knownNow(), isInOrder: lagged < covered, left, told };
  };
  return { take, finish, lived };
}
