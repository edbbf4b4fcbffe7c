/** What is different about a runner host on another machine: its token, and its own folders. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type { CommandRunner, Outcome, RunSpec } from '../../contract/run.ts';
import { isBelow } from '../../domain/is-below.ts';
import { readToken } from '../../domain/token.ts';
import { makeOwnFolder } from './own-folder.ts';

export interface HostToken {
  hostId: string;
  token: string;
}

const howToMake = 'Make one where the server runs: offshoot worker token <name>';

/** From a file that nobody else can read, or from the environment; never from the command line. */
export function hostToken(from: { file: string | null; env: string | null }): HostToken {
  const token = (from.file === null ? from.env : readPrivateFile(from.file))?.trim();
  if (!token) {
    throw new AppError('unauthorized', 'no token was given for this runner host', {
      hint: `${howToMake}. Give it by --token-file, or in OFFSHOOT_TOKEN.`,
    });
  }
  const claims = readToken(token);
  if (claims?.role === 'host' && claims.tokenId !== undefined)
    return { hostId: claims.hostId, token };
  throw new AppError('unauthorized', 'this is not the token of a runner host', { hint: howToMake });
}

function readPrivateFile(file: string): string {
  const stat = existsSync(file) ? statSync(file) : null;
  if (!stat?.isFile()) {
    // No token was refused: the command line is what has to be mended.
    throw new AppError('bad_request', `there is no token file ${file}`, {
      hint: `Name the file that holds it. ${howToMake}`,
    });
  }
  if ((stat.mode & 0o077) !== 0) {
    throw new AppError('unauthorized', `others can read the token file ${file}`, {
      hint: `chmod 600 '${file}', and give this host a new token`,
    });
  }
  return readFileSync(file, 'utf8');
}

export interface Here {
  hostId: string;
  /** The address at which this host reaches the server: its agents do so, too. */
  url: string;
  /** Where the server makes folders on its own machine, and where this host does on this one. */
  serverWorkFolder: string;
  workFolder: string;
  demoRunner: CommandRunner;
}

/** A run as it is on this machine. What the caller named is looked for under the same path. */
export function localize(spec: RunSpec, here: Here): RunSpec {
  const own = (path: string) =>
    isBelow(here.serverWorkFolder, path)
      ? join(here.workFolder, path.slice(here.serverWorkFolder.length))
      : path;
  const workspacePath = own(spec.workspacePath);
  makeOwnFolder(workspacePath, here.workFolder);
  const runner = spec.runner.builtIn === true ? here.demoRunner : spec.runner;
  return { ...spec, url: here.url, workspacePath, files: spec.files.map(own), runner };
}

/** What could not be started says where: the same may be there on another machine. */
export function withPlace(outcome: Outcome, { hostId }: Pick<Here, 'hostId'>): Outcome {
  if (outcome.error === null || !placed.has(outcome.errorCode ?? '')) return outcome;
  const error = `${outcome.error}, on runner host ${hostId} (${hostname()})`;
  return { ...outcome, error, errorHint: outcome.errorHint ?? beThere };
}

const placed = new Set(['runner_missing', 'spawn_failed', 'unresolved_placeholder']);
const beThere = 'Every runner host that may get the work needs its programs and workspaces.';
