/** Option values, parsed where they are typed, so that a mistake is named with its option. */
import { InvalidArgumentError, Option } from 'commander';
import { limits } from '../contract/limits.ts';
import { parseServerAddress } from '../contract/server-address.ts';
import { executionModes, statuses } from '../contract/words.ts';

export function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('It must be a number of seconds, 0 or more.');
}

export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number, 0 or more.');
}

/** As the API takes it; there the mistake would be named by its key in the request. */
export function wholeNumberIn(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number, ${min} to ${max}.`);
  };
}

export function wallSeconds(text: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (value >= 1 && value <= limits.wallSecondsMax) return value;
  throw new InvalidArgumentError(`It must be a number of seconds, 1 to ${limits.wallSecondsMax}.`);
}

export function port(text: string): number {
  const value = wholeNumber(text);
  if (value <= 65_535) return value;
  throw new InvalidArgumentError('It must be a port: 0 (pick a free one) to 65535.');
}

export function slots(text: string): number {
  const value = wholeNumber(text);
  if (value >= 1 && value <= 256) return value;
  throw new InvalidArgumentError('It must be a number of agents, 1 to 256.');
}

export function serverUrl(text: string): string {
  const url = parseServerAddress(text);
  if (url?.username === '') return (url.origin + url.pathname).replace(/\/+$/, '');
  throw new InvalidArgumentError('It must be an address such as http://10.0.0.1:8464.');
}

const unitMs = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A date, or how long ago: `2026-01-31`, `2026-01-31T12:00:00Z`, `90min`, `3d`. */
export function pointInTime(now: () => number): (text: string) => string {
  return (text) => {
    const [, count, unit] = /^(\d{1,6})(s|min|h|d)$/.exec(text) ?? [];
    const at = unit
      ? now() - Number(count) * unitMs[unit as keyof typeof unitMs]
      : /^\d{4}-\d\d-\d\d/.test(text)
        ? Date.parse(text)
        : NaN;
    if (!Number.isNaN(at)) return new Date(at).toISOString();
    throw new InvalidArgumentError(
      'It must be a date (2026-01-31T12:00:00Z) or an age (90min, 3d).',
    );
  };
}

/** In seconds: `90min`, `12h`, `30d`. */
export function lengthOfTime(text: string): number {
  const [, count, unit] = /^(\d{1,6})(s|min|h|d)$/.exec(text) ?? [];
  if (unit) return (Number(count) * unitMs[unit as keyof typeof unitMs]) / 1000;
  throw new InvalidArgumentError('It must be a length of time: 90min, 12h, 30d.');
}

export const collectValues = (text: string, before: string[] = []) => [...before, text];

export function jsonOption(): Option {
  return new Option('--json', 'print the answer as JSON');
}

export function agentOption(
  text = 'whose session, where several agents have one of that key',
): Option {
  return new Option('--agent <id>', text);
}

/** As requests have it. */
export function ofAgent(agent: string | undefined): { agentId?: string } {
  return agent === undefined ? {} : { agentId: agent };
}

export function modeOption(text: string): Option {
  return new Option('-m, --mode <mode>', text).choices(executionModes);
}

export function statusOption(): Option {
  return new Option('-s, --status <status>', 'only of this status').choices(statuses);
}

export function waitOption(text = 'wait at most this long; then exit with 6'): Option {
  return new Option('-w, --wait <seconds>', text).argParser(seconds);
}
