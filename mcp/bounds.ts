/** How much one tool result may hold. A host cuts what is longer, blindly; we cut where it can be asked on. */
export const bounds = {
  /** About 4,000 tokens: hosts allow 10,000 to 25,000 for one result. */
  answerCharsMax: 16_000,
  /** Of a cut answer, this much from its end: conclusions stand there. */
  answerTailChars: 4_000,
  /** All answers of one `wait_subagents` together. */
  answersCharsMax: 24_000,
  /** A share below this is no use to a reader. */
  answerCharsMin: 200,
  callbacksCharsMax: 40_000,
  /** The first words of a prompt, by which a caller knows its children again. */
  taskChars: 160,
  /** The server must not make a host wait for its list of tools. */
  runnersMs: 2_000,
  /** Hosts take a call without progress for dead after a minute. */
  progressMs: 5_000,
} as const;
