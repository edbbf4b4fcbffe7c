/** Every default and every limit, in one file, each with its unit and the reason for it. */

const KiB = 1024;
const MiB = 1024 * KiB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** What holds when neither the request nor the configuration says otherwise. */
export const defaults = {
  executionMode: 'SYNC',
  /** A message to a session must not surprise its sender with a long call. */
  sendExecutionMode: 'ASYNC_POLL',
  /** Below the 60 s after which the strictest MCP host cuts a call. HTTP and CLI wait without end. */
  mcpWaitSeconds: 50,
  agentId: 'default',
  maxDepth: 5,
  maxChildren: 50,
  slots: 4,
  hostWaitMs: 10 * MINUTE,
  turnTimeoutSeconds: 30 * 60,
  wallSeconds: 24 * 60 * 60,
  leaseMinutes: 10,
  retentionDays: 90,
  port: 8464,
  sessionIdleMs: 10 * MINUTE,
  /** A day's work is what can be lost with a disk; a week of days to go back to. */
  backupEveryHours: 24,
  backupsKept: 7,
  /** What a child is told of what its parent said last. */
  tailChars: 3000,
  /** Who has been silent for longer is not guessed to have asked for a sub-agent. */
  parentIdleHours: 4,
  tokenSeconds: 7 * 24 * 60 * 60,
} as const;

export const limits = {
  /** A prompt is stored, hashed and sent over loopback whole. */
  promptBytesMax: 16 * MiB,
  /** Linux caps one argument at 128 KiB; the environment shares the room. */
  argvPromptBytesMax: 100_000,
  titleCharsMax: 200,
  keyCharsMax: 200,
  /** Two keys make a workflow id, and Temporal takes 1,000 bytes of one. */
  keyBytesMax: 480,
  pathCharsMax: 4096,
  filesMax: 1000,
  envEntriesMax: 200,
  envValueBytesMax: 32 * KiB,
  /** A request body: the largest prompt as JSON, escapes included. */
  bodyBytesMax: 40 * MiB,
  /** A runner takes some hundred bytes. */
  configBytesMax: 256 * KiB,
  /** How deep JSON may be nested. */
  jsonLevelsMax: 100,
  /** Names and values of one JSON text that is read, a line of a transcript or a long body: each takes some ten bytes of memory. */
  jsonValuesMax: 1_000_000,
  /** Fields of a request's body: a hook may have any that we know nothing of, and each is looked at. */
  bodyFieldsMax: 10_000,
  /** What is read of a transcript's file at once: as much as could come inline. What is known of it counts not. */
  transcriptBytesMax: 40 * MiB,
  transcriptLinesMax: 100_000,
  /** Since the last hook that took the same runtime path; then another path may have the session. */
  claimMs: 4 * 60 * MINUTE,
  /** Answers of hooks that are kept for repeats, over all sessions. The oldest go. */
  hookAnswersMax: 100_000,
  /** An answer longer than this keeps its head and its tail; the transcript has more. */
  resultBytesMax: 8 * MiB,
  /** One turn of program output: what 64 kB or 200 ms of one stream bring. */
  outputTurnBytesMax: 64 * 1000,
  outputTurnMs: 200,
  /** Output of one run that is kept as turns, per stream. What comes after is counted, not kept. */
  outputBytesMax: 16 * MiB,
  errorCharsMax: 4000,
  /** The body of one callback in its envelope; longer ones carry head, tail and a reference. */
  envelopeBodyBytesMax: 16 * KiB,
  /** Callbacks handed over in one turn. The rest come in the next. */
  callbacksPerTurnMax: 50,
  /** To a stop that cannot be told from its repeat: more would keep a program from ever stopping. A prompt offers it again. */
  unansweredOffersMax: 3,
  /** Each level down is one more process that waits; deeper trees are mistakes that feed themselves. */
  depthMax: 20,
  /** Callbacks of one answer, or acknowledged by one request. Each is about 20 KiB at most. */
  callbacksPageMax: 200,
  /** What the configuration may allow at most; all of them may have to be started at once. */
  openChildrenMax: 500,
  /** A run, and an invocation: what takes longer is a service, not a task. */
  turnTimeoutSecondsMax: 7 * 24 * 60 * 60,
  wallSecondsMax: 30 * 24 * 60 * 60,
  waitIdsMax: 200,
  waitSecondsMax: 24 * 60 * 60,
  pageMax: 500,
  pageDefault: 50,
  /** The same over MCP, where every entry costs a model's attention. */
  mcpPageMax: 100,
  mcpPageDefault: 20,
  /** Prompts and answers of one page or wait, or turns; at least one entry is in it. The rest is the next one's. */
  pageBytesMax: 8 * MiB,
  transcriptPageDefault: 200,
  /** Of an export: all of a page is gone through for secrets, and held as text by whoever asked. */
  exportPageBytesMax: MiB,
  /** Sessions of one tree that are shown, and invocations; the answer says that there are more. */
  treeNodesMax: 5000,
  /** Levels of it: each is one inside the other, and programs that read it go down as deep. */
  treeLevelsMax: 100,
  /** Text that may enter Temporal's history, per message. */
  historyTextMax: 4 * KiB,
  /** Temporal takes 400 bytes of a summary, and a character is three at most. */
  summaryCharsMax: 120,
  /** SIGTERM, then this long, then SIGKILL. */
  killGraceMs: 5 * SECOND,
  /** A host is taken to be away when it has not spoken for this long. */
  hostSilentMs: 15 * SECOND,
  /** After this long a claim whose answer its host did not get cannot begin: the host waits 15 s for one. */
  claimAnswerMs: 20 * SECOND,
  /** A sent outbox row without effect is sent again after this long. */
  resendMs: 30 * SECOND,
  /** Store and engine are compared this often while anything is open: one request for a thousand workflows. */
  compareMs: 60 * SECOND,
  /** Rows of one such look. Those beyond it are looked at when some of these have ended. */
  compareRowsMax: 5000,
  /** How often a server looks whether a backup is due. */
  backupLookMs: 60 * SECOND,
  /** How long a call is tried while the server is away: a restart, with the engine, takes less. */
  serverAwayMs: 30 * SECOND,
  /** The same for an agent that we run: nobody sits by who would ask again, and a call that fails may be its end. */
  agentServerAwayMs: 120 * SECOND,
  /** Reports of one run on disk while the server is away. More holds its program back. */
  spoolBytesMax: 256 * MiB,
  /** What a program hands its hook command, an inline transcript included. */
  hookInputBytesMax: 16 * MiB,
  hookInputMs: 2 * SECOND,
  /** What it hands over that we know nothing of: a word or two of the program's state, kept with a turn. */
  hookUnknownBytesMax: 8 * KiB,
  /** The same, where a program reports without our command. What has no room is named beside what has. */
  hookExtraBytesMax: 64 * KiB,
  /** How long a hook command waits for the server. Codex ends a hook at the end of a session after 3 s, others sooner. */
  hookMs: 1200,
  hookAnswerBytesMax: 4 * MiB,
  /** For how long after an agent's end sessions that it began while the server was away may be told of. */
  lateSessionMs: 24 * 60 * MINUTE,
  /** How often the server looks for hooks that were kept and that nobody sends. */
  keptHooksEveryMs: 60 * SECOND,
  /** Hooks on disk while the server is away. What comes after is not kept: the transcript still has it. */
  hookSpoolFilesMax: 10_000,
  hookSpoolBytesMax: 64 * MiB,
  /** A kept hook at which the server has died or failed so often is set aside: else it would end each that starts, or keep back all behind it. */
  hookDeathsMax: 2,
  /** Turns and endings that are kept for all who follow them; more is read again for whoever comes late. */
  sharedReadBytesMax: 32 * MiB,
  /** Words of one search, and characters of one word: more say no more. */
  queryWordsMax: 32,
  queryWordCharsMax: 64,
  queryCharsMax: 4096,
  /** Hits of one search, and the places of words in one hit. */
  searchHitsMax: 20,
  searchHitsDefault: 10,
  searchOffsetsMax: 20,
  /** Sessions of a part of a tree that hear of its move, the newest; and those above one that a search looks for. */
  searchSessionsMax: 500,
  /** Sessions of a part of a tree that one search covers: of a larger part the newest. */
  searchTreeMax: 20_000,
  /** Of a longer text its first and its last half of this are searched. */
  searchedCharsMax: 64 * KiB,
  /** A search that was not answered after this long finds its thread dead, or at a rebuild of the whole index. */
  searchWaitMs: 60 * SECOND,
  /**
   * Inherited context, in characters: this much beside the tail of the conversation, which has its own
   * room. Each part is bounded by itself; the rest is headings, title and session key.
   */
  contextBlockCharsMax: 8800,
  contextCheckpointCharsMax: 4000,
  contextEntitiesCharsMax: 600,
  contextConstraintsCharsMax: 3600,
  contextConstraintCharsMax: 500,
  /** What `tailChars` may be set to: more is for a search to find. */
  contextTailCharsMax: 20_000,
  /** Entities that one block names, those mentioned last first. */
  contextEntitiesMax: 12,
  /** Entities that a session is about at once: the constraints of all of them are told. */
  focalEntitiesMax: 50,
  /** What is looked through for entities since the last checkpoint: when the next one is made, and for each block. */
  focalCheckpointCharsMax: 256 * KiB,
  focalBlockCharsMax: 64 * KiB,
  /** A checkpoint after so many prompts; its digest names as many. */
  checkpointEveryPrompts: 10,
  /** A summary that somebody writes; what has no room in a block is kept all the same. */
  checkpointSummaryCharsMax: MiB,
  digestSummaryCharsMax: 1000,
  /** How far back a checkpoint looks for prompts: among 10 of them there may be many tools' turns. */
  digestTurnsMax: 2000,
  /** Of one entity: what is known of a thing, not a document about it. */
  entityPartsMax: 200,
  entityTextCharsMax: 2000,
  /** A token cannot be taken back, so it ends by itself. */
  tokenSecondsMax: 366 * 24 * 60 * 60,
} as const;
