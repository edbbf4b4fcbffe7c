/** Sessions of made-up talk with the statistics of real talk: common words are very common, and each session has its topic. */

/** The same numbers again for the same seed: mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface Talk {
  /** One turn of the session, of about 0.94 kB on average. */
  turn(session: number): string;
}

const vocabularySize = 60_000;
const shift = 3;
const kernelSize = 2_000;
/** The commonest words say nothing of a topic. */
const functionWords = 100;
const topicSize = 60;
/** How many of a turn's words are of its session's topic. */
const topicShare = 0.15;
const wordsMean = 120;

export function createTalk(seed: number): Talk {
  const random = createRandom(seed);
  const words = vocabulary(random);
  const drawn = () => words[drawRank(random()) - 1]!;
  const topics = new Map<number, string[]>();

  function topicOf(session: number): string[] {
    const known = topics.get(session);
    if (known !== undefined) return known;
    const topic = new Set<string>();
    while (topic.size < topicSize) {
      const rank = drawRank(random());
      if (rank > functionWords) topic.add(words[rank - 1]!);
    }
    topics.set(session, [...topic]);
    return topics.get(session)!;
  }

  return {
    turn(session) {
      const topic = topicOf(session);
      // Most turns are short and some are long, as in real sessions.
      const length = Math.max(4, Math.floor(-Math.log(1 - random()) * wordsMean));
      const said: string[] = [];
      for (let n = 0; n < length; n += 1) {
        const isTopic = random() < topicShare;
        said.push(isTopic ? topic[Math.floor(random() ** 2 * topicSize)]! : drawn());
      }
      return said.join(' ');
    },
  };
}

/**
 * Zipf's law as large texts show it: flatter among the very first words, and falling off with the square of
 * the rank beyond those that all speakers share. In the Markdown files of this folder's packages the first
 * 100, 1,000 and 5,000 words are 43, 79 and 95 % of all that is said; here 45, 77 and 95 %.
 */
function drawRank(random: number): number {
  const common = Math.log((kernelSize + shift) / (1 + shift));
  const rare = 1 - kernelSize / vocabularySize;
  const at = random * (common + rare);
  if (at < common) return Math.floor((1 + shift) * Math.exp(at) - shift);
  return Math.floor(kernelSize / (1 - (at - common)));
}

/** Short words first, as in every language; further down there are names and identifiers of programs. */
function vocabulary(random: () => number): string[] {
  const heads = 'b c d f g h k l m n p r s t v w br cl cr dr fl gr pl pr sh sl st str th tr'.split(
    ' ',
  );
  const vowels = 'a e i o u ai ea ee ou'.split(' ');
  const tails = ['', 'n', 'r', 's', 't', 'l', 'ck', 'nd', 'ng', 'st', 'm', 'p'];
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
  const syllable = () => pick(heads) + pick(vowels) + pick(tails);
  const found = new Set<string>();
  while (found.size < vocabularySize) {
    const rank = found.size;
    const syllables = rank < 150 ? 1 : rank < 4000 ? 2 : 3;
    const parts = Array.from({ length: syllables }, syllable);
    const kind = rank < 1000 ? 1 : random();
    if (kind < 0.03) found.add(`${parts.join('_')}.ts`);
    else if (kind < 0.06) found.add(parts[0]! + parts.slice(1).map(capital).join(''));
    else if (kind < 0.08) found.add(`${parts.join('')}-${Math.floor(random() * 9000)}`);
    else found.add(parts.join(''));
  }
  return [...found];
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
