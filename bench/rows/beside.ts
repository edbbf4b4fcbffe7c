/** What a hook feels while eight agents print and 10 MB of one project are searched: its p99 minus that of an echo in between. */
import { timed } from '../alternate.ts';
import { withEcho } from '../bare/start.ts';
import { note, plainFigure } from '../figure.ts';
import { printer, PRINTERS, requirePrinted, startPrinters, watchPrinters } from '../printers.ts';
import type { Row } from '../row.ts';
import { quantile } from '../statistics.ts';
import { post, withStack, type Stack } from '../stack.ts';
import { createTalk } from '../talk.ts';

const MUCH_BYTES = 10e6;
/** Below what one request may hold. */
const PART_BYTES = 2e6;
/** Else it is not beside them that hooks were measured. */
const SEARCHES_MIN = 20;
/** So many sessions take turns, as those of a busy day do. */
const SESSIONS = 20;

export const besideRow: Row = {
  name: 'beside',
  measure: ({ quick }) =>
    withStack({ runners: { printer }, limits: { slots: PRINTERS } }, (stack) =>
      withEcho(stack, async (echo) => {
        const words = await tellMuch(stack);
        const printedSince = watchPrinters(await startPrinters(stack));
        const searching = searchOn(stack, words);
        const times: { hook: number[]; echo: number[] } = { hook: [], echo: [] };
        for (let n = 0; n < (quick ? 200 : 2000); n += 1) {
          const body = promptOf(n);
          const hook = () => timed(() => post(stack.server, '/api/hooks/user-prompt-submit', body));
          const plain = () => timed(() => post(echo, '/', body));
          if (n % 2 === 0) times.hook.push(await hook());
          times.echo.push(await plain());
          if (n % 2 === 1) times.hook.push(await hook());
        }
        const printed = printedSince();
        const searches = await searching.end();
        if (!quick) {
          requirePrinted(printed);
          if (searches.length < SEARCHES_MIN) throw new Error('hardly anything was searched');
        }
        const ours = quantile(times.hook, 0.99);
        const floor = quantile(times.echo, 0.99);
        return [
          plainFigure(
            `a hook while 10 MB are searched and ${PRINTERS} print, p99 - echo's with a flush`,
            ours - floor,
            'ms',
            15,
          ),
          note('  its p99; the echo', `${ours.toFixed(1)} ms; ${floor.toFixed(1)} ms`),
          note(
            '  searches meanwhile, p50',
            `${searches.length}, ${quantile(searches, 0.5).toFixed(1)} ms`,
          ),
        ];
      }),
    ),
};

const promptOf = (n: number) => ({
  harness: 'claude-code',
  sessionKey: `beside${n % SESSIONS}`,
  userPrompt: `prompt ${n}: what does the build say now, and which of the tests is the slow one?`,
});

/** As sessions of one project, each in one request. Answers some of its words. */
async function tellMuch({ server }: Stack): Promise<string[]> {
  const talk = createTalk(3);
  let said = 0;
  const words = new Set<string>();
  for (let part = 0; said < MUCH_BYTES; part += 1) {
    let transcript = '';
    while (transcript.length < PART_BYTES) {
      const text = talk.turn(1);
      transcript += `${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`;
      for (const word of text.split(' ').slice(0, 2)) words.add(word);
    }
    said += transcript.length;
    await post(server, '/api/hooks/user-prompt-submit', {
      ...{ harness: 'claude-code', sessionKey: `long${part}`, project: '/long' },
      ...{ transcript, userPrompt: `part ${part}` },
    });
  }
  return [...words];
}

/** One search after the other, each of three words, until it is ended: answers how long each took. */
function searchOn({ server }: Stack, words: string[]): { end(): Promise<number[]> } {
  const times: number[] = [];
  let isOver = false;
  const work = (async () => {
    for (let n = 0; !isOver; n += 1) {
      const query = [n, n * 7 + 1, n * 13 + 2].map((at) => words[at % words.length]).join(' ');
      const body = { query, project: '/long', limit: 20 };
      times.push(await timed(() => post(server, '/api/sessions/search', body)));
    }
  })();
  return {
    async end() {
      isOver = true;
      await work;
      return times;
    },
  };
}
