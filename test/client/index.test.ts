/** The package as another project sees it: `npm link offshoot`, and its own compiler. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { withFolder } from '../support/folder.ts';
import { readmeBlock } from '../support/readme.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');

const consumer = `
import { SubAgentSessionManager, type SessionContext, type SubAgentSession } from 'offshoot';

const context: SessionContext = { workspacePath: process.cwd(), specId: 's-1', files: ['a.md'] };
const manager = new SubAgentSessionManager();
const session: SubAgentSession = await manager.invoke('demo', 'say hello', context);
const answer: string | undefined = session.result?.content;
const ended: number | undefined = session.completedAt?.getTime();
// @ts-expect-error: statuses are a closed list
const status: 'done' = session.status;
// @ts-expect-error: a workspace is a path
const wrong: SessionContext = { workspacePath: 7 };
console.log(answer, ended, status, wrong);
`;

test('a TypeScript program is checked against the types of the package, and the README has one', () =>
  withFolder(async (folder) => {
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(root, join(folder, 'node_modules/offshoot'));
    symlinkSync(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'consumer.ts'), consumer);
    writeFileSync(join(folder, 'readme.ts'), readmeBlock('ts', "from 'offshoot'"));
    const files = ['consumer.ts', 'readme.ts'];
    // Without skipLibCheck: what our own declarations say is checked, too.
    const args = [tsc, '--strict', '--noEmit', '--module', 'nodenext', '--types', 'node', ...files];
    const told = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(told.stdout).toBe('');
  }));
