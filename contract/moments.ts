/** Points in time that others name. Here they are kept and compared as ISO text in UTC. */
import { z } from 'zod';

/**
 * What has four digits of year in UTC, as text compares right only then. All of it, as programs write the first and
 * the last of these years for `ever`: Go its zero time, and others an end that never comes.
 */
const firstMs = Date.parse('0001-01-01T00:00:00Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');
/** Twelve digits of a second's fraction, and more than the longest offset: nobody's clock says more. */
const momentCharsMax = 48;

/** By no `max`, which would stand in the schemas of our tools, for models to read. */
export const momentSchema = z.iso
  .datetime({ offset: true })
  .refine(
    (given) => given.length <= momentCharsMax && isOfOurYears(Date.parse(given)),
    `must lie in the years 1 to 9999 in UTC, and have ${momentCharsMax} characters at most`,
  );

/** What is no time at all is refused as that. */
const isOfOurYears = (ms: number) => Number.isNaN(ms) || (ms >= firstMs && ms <= lastMs);

/** How far a program's clock may be ahead of ours, and still be believed. */
const aheadMsMax = 5 * 60_000;

/**
 * When what is heard now, at `now`, has happened. What would lie in the future, or before all computers, is of a wrong
 * clock, and taken for now: by its word a session would have ended for ever, and nothing could come after it.
 */
export function heardAt(said: string | undefined, now: string): string {
  if (said === undefined) return now;
  const ms = Date.parse(said);
  const isBelievable = ms >= 0 && ms <= Date.parse(now) + aheadMsMax;
  return isBelievable ? new Date(ms).toISOString() : now;
}
