/** What a transcript of any agent program is read into: entries, one per line, that lose nothing. */

export interface ToolUse {
  kind: 'call' | 'result';
  id: string | null;
  name: string | null;
  text: string;
  isError: boolean;
}

/** One line of a program's transcript. Joined again, the `raw`s are what the program wrote. */
export interface TranscriptEntry {
  role: 'user' | 'assistant' | 'tool' | 'mark';
  text: string;
  at: string | null;
  id: string | null;
  tools: ToolUse[];
  raw: string;
  /** In a transcript that several agents share: said by another one than whose it is read for. */
  isOfAnother?: true;
}

/** `agent`: the program's own id of the sub-agent whose part it is; null for the session's own. */
export type ParseTranscript = (text: string, agent?: string | null) => TranscriptEntry[];
