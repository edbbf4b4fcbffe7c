/**
 * The build whose server is less patient: what follows is the same, and a test need not wait for it as
 * long as a user would. The 15 s after which a host is silent are counted by a clock that is set by hand
 * (`test/operations/admission`), and so are the 30 s of a message without effect (`test/operations/outbox`).
 */
import { limits } from '../../contract/limits.ts';
import { changedBuild } from '../support/changed-build.ts';

/** More than a poll, and what TCP takes to be itself again after a short loss of the network. */
export const silentSeconds = 6;

/** Seconds. Shorter than the absences of `away-and-back`. */
export const impatience = {
  hostSilentMs: silentSeconds,
  claimAnswerMs: 6,
  resendMs: 6,
  compareMs: 6,
  serverAwayMs: 4,
};

/** Longer than them: to these absences as the one that is shipped is to a minute. */
export const patience = { agentServerAwayMs: 16 };

/** How often it looks for what no absence has to do with. */
export const looks = { backupLookMs: 1 };

export const impatientBuild = () =>
  changedBuild({
    name: 'impatient',
    file: 'contract/limits.js',
    content: (shipped) =>
      Object.entries({ ...impatience, ...patience, ...looks }).reduce((text, [name, seconds]) => {
        const line = `${name}: ${limits[name as keyof typeof impatience] / 1000} * SECOND`;
        const [before, after, ...more] = text.split(line);
        if (after === undefined || more.length > 0) throw new Error(`no such line: ${line}`);
        return `${before}${name}: ${seconds} * SECOND${after}`;
      }, shipped),
  });
