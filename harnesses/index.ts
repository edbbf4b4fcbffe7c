/** The agent programs whose transcripts we read, and which reader a transcript gets. */
import type { ParseTranscript } from '../contract/transcript.ts';
import { parseClaudeCode } from './claude-code/transcript.ts';
import { parseCodex } from './codex/transcript.ts';
import { parseCopilotCli } from './copilot-cli/transcript.ts';
import { parseGeminiCli } from './gemini-cli/transcript.ts';
import { parseOpenclaw } from './openclaw/transcript.ts';
import { parseOpencode } from './opencode/transcript.ts';
import { heading, parsePlainText } from './plain-text/transcript.ts';
import { harnessOf, type Harness } from './names.ts';
import { withoutComma } from './split-document.ts';

const parsers: Record<Harness, ParseTranscript> = {
  'claude-code': parseClaudeCode,
  codex: parseCodex,
  'gemini-cli': parseGeminiCli,
  opencode: parseOpencode,
  'copilot-cli': parseCopilotCli,
  openclaw: parseOpenclaw,
};

/**
 * The program's own reader for what it wrote, plain text for `User: …`, which a connector may hand over in any
 * program's name. Records of a program we do not know are read as OpenClaw's: `{role, content}` is what most write.
 */
export function parserFor(harness: string, text: string): ParseTranscript {
  return hasRecords(text) ? parsers[harnessOf(harness) ?? 'openclaw'] : parsePlainText;
}

/** The id that a line bears which was read before: of the list that it may be cut out of, it is one alone. */
export function idIn(harness: string, raw: string): string | null {
  const [entry] = parserFor(harness, '[')(`[${withoutComma(raw)}]`).filter(({ id }) => id !== null);
  return entry?.id ?? null;
}

/** JSON under a speaker's name is what the speaker said. */
function hasRecords(text: string): boolean {
  return !heading.test(text.trimStart()) && (/^\s*[[{]/.test(text) || /^\{"/m.test(text));
}
