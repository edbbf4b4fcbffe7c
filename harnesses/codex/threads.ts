/** Who asked for a sub-agent, which no hook of Codex says outright: each agent is a thread, with a transcript of its own. */
import { objectOf, textOf } from '../json.ts';
import type { TranscriptBytes } from '../../domain/transcript-bytes.ts';

/** Whose transcript that is. */
export const threadOf = (path: string | null): string | null =>
  /rollout-[\dT-]{19}-([^/]+)\.jsonl$/.exec(path ?? '')?.[1] ?? null;

/** Its first line has the instructions of the model in it, which are some ten thousand characters. */
const firstLineBytesMax = 256 * 1024;

/** The thread that asked for the one whose transcript this is, as its first line says. */
export function askingThread(content: TranscriptBytes): string | null {
  const [first] = content.blocks(firstLineBytesMax);
  const end = first?.block.indexOf('\n') ?? -1;
  if (end === -1) return null;
  try {
    const record = objectOf(JSON.parse(first!.block.toString('utf8', 0, end)));
    const isMeta = record?.type === 'session_meta';
    return isMeta ? textOf(objectOf(record.payload)?.parent_thread_id) : null;
  } catch {
    // What is not Codex's says nothing.
    return null;
  }
}
