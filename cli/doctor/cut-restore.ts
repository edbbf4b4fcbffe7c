/** Findings about a restore that was killed half-way. */
import { existsSync } from 'node:fs';
import { homePaths } from '../../contract/home.ts';
import { ill, type Finding } from '../render/findings.ts';

export async function checkCutRestore(home: string): Promise<Finding[]> {
  const { decidedName, stagedName } = await import('../../backup/index.ts');
  const { database } = homePaths(home);
  const [decided, staged] = [decidedName(database), stagedName(database)];
  if (existsSync(decided)) {
    return [
      ill('warning', 'restore', {
        what: `a restore was cut off before its last step: ${decided} is what the store will be`,
        why: 'What lies in its place still may lack its last commits. It is kept beside the store.',
        remedy: '`offshoot up` finishes it',
      }),
    ];
  }
  if (!existsSync(staged)) return [];
  return [
    ill('warning', 'restore', {
      what: `a restore was cut off, and nothing was changed: ${staged} is left of it`,
      why: 'The store is as it was. What is left takes up room.',
      remedy: 'offshoot restore again, or `offshoot up`: both remove it',
    }),
  ];
}
