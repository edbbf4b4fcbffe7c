/**
 * What real agent programs wrote, as test/fixtures/captures keeps it: transcripts, streams and hooks, and what else was
 * taken with them (settings, MCP, requests to models), which no parser is for, but each must keep.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hooksOf } from '../../harnesses/hooks-of.ts';
import { readHook, type HookCall } from '../../harnesses/hooks.ts';
import { objectOf, type JsonObject } from '../../harnesses/json.ts';

const root = fileURLToPath(new URL('../fixtures/captures', import.meta.url));

/** `claude-code/hooks.jsonl` and its like. */
export const captureNames: readonly string[] = readdirSync(root).flatMap((program) =>
  readdirSync(`${root}/${program}`).map((file) => `${program}/${file}`),
);

export function readCapture(name: string): string {
  return readFileSync(`${root}/${name}`, 'utf8');
}

export function programOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}

export const hookCaptures = captureNames.filter((name) => /\/(plugin-)?hooks/.test(name));

export interface CapturedHook {
  /** The program's own name of the event. */
  name: string;
  payload: JsonObject;
}

/** Hook commands got `stdin`; plugins were called with what stands in the other fields. */
export function hooksIn(capture: string): CapturedHook[] {
  const lines = readCapture(capture).trimEnd().split('\n');
  return lines.map((line) => {
    const { label, kind, hook, stdin, input, output, event, ctx } = JSON.parse(line) as JsonObject;
    const given = objectOf(kind === 'event' ? input : stdin);
    return {
      name: String(kind === 'event' ? given?.type : (label ?? kind ?? hook)),
      payload: given ?? (hook === undefined ? { input, output } : { event, ctx }),
    };
  });
}

/** What our hook command would ask the server for, hook by hook. */
export async function callsIn(capture: string): Promise<HookCall[]> {
  const harness = programOf(capture);
  const hooks = await hooksOf(harness);
  return hooksIn(capture)
    .map((captured) => readHook(hooks, { harness, ...captured }))
    .filter((call) => call !== null);
}

export function firstCall(calls: readonly HookCall[], event: string): JsonObject | undefined {
  return calls.find((call) => call.event === event)?.request;
}
