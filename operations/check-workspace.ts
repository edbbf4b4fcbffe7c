/** Where an agent will work, and the files it is pointed to: checked before anything is written. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';

/** A workspace must be a folder that is there. A relative one would start from the server's own. */
export async function requireWorkspace(path: string): Promise<string> {
  if (!isAbsolute(path)) {
    throw new AppError('bad_request', 'context.workspacePath: must be an absolute path', {
      hint: hints.workspace.http,
    });
  }
  const absolute = resolve(path);
  if (await isFolder(absolute)) return absolute;
  throw new AppError('workspace_missing', `the workspace ${absolute} is not a folder that exists`, {
    hint: hints.workspace.http,
  });
}

/** One that may not be looked at is none to work in. In a thread: it may lie on a mount that does not answer. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}

/** Absolute paths of files that exist inside the workspace, links followed. */
export async function requireFiles(workspace: string, files: string[]): Promise<string[]> {
  // One that is still to be made holds none of them, and each is missed by its name.
  const root = await realpath(workspace).catch(() => workspace);
  return Promise.all(files.map((file) => requireFile(root, workspace, file)));
}

async function requireFile(root: string, workspace: string, file: string): Promise<string> {
  const absolute = resolve(workspace, file);
  const outside = () =>
    new AppError('file_outside_workspace', `${file} is outside of the workspace ${workspace}`, {
      hint: hints.filesInside.http,
    });
  // Checked by name first, so that nothing is said about what exists elsewhere.
  if (isOutside(workspace, absolute) && isOutside(root, absolute)) throw outside();
  const real = await realpath(absolute).catch(() => null);
  if (real === null) {
    throw new AppError('file_missing', `${file} does not exist in the workspace ${workspace}`, {
      hint: hints.filesInside.http,
    });
  }
  if (isOutside(root, real)) throw outside();
  if (!(await stat(real)).isFile()) {
    throw new AppError('file_missing', `${file} is not a file`, { hint: hints.filesInside.http });
  }
  return absolute;
}

function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '..' || way.startsWith('../') || isAbsolute(way);
}
