/** Only the program that is asked for is loaded: a hook is waited for by whoever works with that program. */
import type { HarnessHooks } from './hooks.ts';
import { harnessOf, type Harness } from './names.ts';

const load: Record<Harness, () => Promise<HarnessHooks>> = {
  'claude-code': async () => (await import('./claude-code/hooks.ts')).claudeCodeHooks,
  codex: async () => (await import('./codex/hooks.ts')).codexHooks,
  'gemini-cli': async () => (await import('./gemini-cli/hooks.ts')).geminiCliHooks,
  opencode: async () => (await import('./opencode/hooks.ts')).opencodeHooks,
  'copilot-cli': async () => (await import('./copilot-cli/hooks.ts')).copilotCliHooks,
  openclaw: async () => (await import('./openclaw/hooks.ts')).openclawHooks,
};

export async function hooksOf(name: string): Promise<HarnessHooks> {
  const harness = harnessOf(name);
  return harness === null ? (await import('./other/hooks.ts')).otherHooks : load[harness]();
}
