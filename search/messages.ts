/** What the server and its search thread say to each other. */
import type { SearchHit, SearchRequest } from '../contract/search.ts';

export type ToThread =
  /** There are new turns: to be put in before somebody asks. */
  { kind: 'index' } | { kind: 'search'; id: number; request: SearchRequest } | { kind: 'end' };

export type FromThread =
  | { kind: 'hits'; id: number; hits: SearchHit[] }
  | { kind: 'failed'; id: number; message: string }
  /** Changes up to this number are in the index. */
  | { kind: 'seen'; changes: number }
  | { kind: 'trouble'; message: string }
  /** A long piece of work goes on. */
  | { kind: 'alive' };
