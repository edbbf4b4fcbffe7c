/**
 * The build whose server takes a host for silent sooner: what follows is the same, and a test need not
 * wait for it as long as a user would. The 15 s themselves are counted by a clock that is set by hand
 * (`test/operations/admission`).
 */
import { limits } from '../../contract/limits.ts';
import { changedBuild } from '../support/changed-build.ts';

/** More than a poll, and what TCP takes to be itself again after a short loss of the network. */
export const silentSeconds = 6;

const shipped = `hostSilentMs: ${limits.hostSilentMs / 1000} * SECOND`;

export const impatientBuild = () =>
  changedBuild({
    name: 'impatient',
    file: 'contract/limits.js',
    content(text) {
      const [before, after, ...more] = text.split(shipped);
      if (after === undefined || more.length > 0) throw new Error(`no such line: ${shipped}`);
      return `${before}hostSilentMs: ${silentSeconds} * SECOND${after}`;
    },
  });
