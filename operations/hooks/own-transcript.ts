/**
 * Whose transcript a file is, by its name. Whoever is bound to an agent has the server open the transcripts of its own
 * sessions, and no other's: the folders hold those of all agents of this user.
 */
import { basename, dirname, extname } from 'node:path';
import type { Db } from '../../store/database.ts';
import { firstNamed } from '../../store/sessions.ts';
import { isWithin, type Reporter } from './see.ts';

interface Told {
  sessionKey?: string | undefined;
  harnessAgentId?: string | undefined;
}

/** By its real path: dots and links are of whoever names it. */
export function isOwnTranscript(db: Db, reporter: Reporter, hook: Told, real: string): boolean {
  if (reporter.caller.claims.role === 'admin') return true;
  const name = nameIn(real);
  // Who had it first has it: another agent may take the same key for a session of its own.
  const known = firstNamed(db, name);
  if (known !== undefined) return isWithin(db, reporter, known);
  return [hook.sessionKey, hook.harnessAgentId].some(
    (id) => id !== undefined && (name.isCut ? id.startsWith(name.id) : id === name.id),
  );
}

/** As the programs name their files: Codex, Gemini (by the id's beginning), Copilot, Claude Code's sub-agents, all others. */
function nameIn(path: string): { id: string; isCut: boolean } {
  const stem = basename(path, extname(path));
  const folder = dirname(path);
  const [, ofCodex] = /^rollout-[\dT-]{19}-(.+)$/.exec(stem) ?? [];
  if (ofCodex !== undefined) return { id: ofCodex, isCut: false };
  const [, ofGemini] = /^session-[\dT-]{16}-([\da-f]{8})$/.exec(stem) ?? [];
  if (ofGemini !== undefined) return { id: ofGemini, isCut: true };
  if (stem === 'events') return { id: basename(folder), isCut: false };
  const isSubagent = stem.startsWith('agent-') && basename(folder) === 'subagents';
  return { id: isSubagent ? basename(dirname(folder)) : stem, isCut: false };
}
