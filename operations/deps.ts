import type { Config } from '../contract/config.ts';
import type { HomePaths } from '../contract/home.ts';
import type { Backup, Health, RunnerInfo, StoreCheck } from '../contract/system-records.ts';
import type { Search } from '../contract/search.ts';
import type { CommandRunner } from '../contract/run.ts';
import type { RecordSpan } from '../contract/trace.ts';
import type { ExecutionMode } from '../contract/words.ts';
import type { Store } from '../store/index.ts';
import type { TranscriptRoot } from './hooks/transcript-roots.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import type { SharedReads } from './shared-reads.ts';

/** What every operation is given. Built once, in `api/main.ts`. */
export interface Deps {
  store: Store;
  /** Read anew when the file has changed; throws `config_invalid` naming the key. */
  config(): Config;
  /** For work that is under way: while the file has a mistake, what held before it. */
  lastGoodConfig(): Config;
  paths: HomePaths;
  secret: string;
  /** The address at which children reach this server. */
  url(): string;
  runners: {
    find(id: string): CommandRunner | null;
    list(): RunnerInfo[];
  };
  secrets: SecretsBox;
  /** Folders below which a hook may name a file to be read. */
  transcriptRoots(): TranscriptRoot[];
  backups: { take(file: string | null): Promise<Backup> };
  checkStore(): Promise<StoreCheck>;
  /** In all turns that were acknowledged before it was asked. */
  search: Search;
  /** Accepting, by invocation id. */
  oneAtATime: OneAtATime;
  shared: SharedReads;
  /** What operations tell of themselves, to be counted. */
  measure: Measure;
  /** Takes spans where traces are on. */
  recordSpan: RecordSpan | null;
  /** A new invocation's random part. */
  randomId(): string;
  engine(): EngineView;
  version: string;
  pid: number;
  startedAt: string;
}

export interface Measure {
  accepted(mode: ExecutionMode, seconds: number): void;
  /** A call begins to wait for an ending; answers what to call when it does not any more. */
  waiting(): () => void;
}

export type EngineView = Health['engine'];

/** Values of `context.env`, kept apart from the store until the invocation is final. */
export interface SecretsBox {
  put(id: string, env: Record<string, string>): Promise<void>;
  /** Null where none lie there that could be read. */
  get(id: string): Promise<Record<string, string> | null>;
  remove(id: string): Promise<void>;
}
