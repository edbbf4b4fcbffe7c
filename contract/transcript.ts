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
}

export type ParseTranscript = (text: string) => TranscriptEntry[];
