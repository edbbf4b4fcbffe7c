/** Real disks of their own, which takes root: tmpfs gives no room away before it is used. */
import { expect, test } from '@jest/globals';
import { checkDisk } from '../../cli/doctor/disk.ts';
import { openDisk, testOnDisks } from '../e2e/small-disk.ts';
import { withFolder } from '../support/folder.ts';
import { cli } from './cli-harness.ts';

const onDisk = testOnDisks('doctor on disks with little room');

interface Found {
  level: string;
  name: string;
  what: string;
  remedy: string | null;
}

async function about(home: string): Promise<{ code: number; found: Found[] }> {
  const ran = await cli(['doctor', '--json'], { home });
  const { findings } = JSON.parse(ran.out) as { findings: Found[] };
  return { code: ran.exitCode, found: findings.filter(({ name }) => /^(disk|inodes)$/.test(name)) };
}

test('each disk is looked at once, under the first folder that lies on it', async () => {
  await withFolder(async (folder) => {
    const found = checkDisk([folder, folder, `${folder}/missing`]);
    expect(found.filter(({ name }) => name === 'disk')).toHaveLength(1);
  });
});

onDisk.each([
  ['with room for days', 3000, [], 'ok'],
  ['with little room', 500, [], 'warning'],
  ['with hardly any', 50, [], 'error'],
  ['without room for files', 3000, ['nr_inodes=500'], 'warning'],
] as const)('doctor on a disk %s', async (_, megabytes, options, level) => {
  const disk = openDisk(megabytes, options);
  try {
    const { found } = await about(disk.folder);
    const worst = found.find((one) => one.level !== 'ok') ?? found[0]!;
    expect(worst).toMatchObject({ level, what: expect.stringContaining(disk.folder) });
    expect(worst.name).toBe(options.length === 0 ? 'disk' : 'inodes');
    if (level !== 'ok') expect(worst.remedy).toContain(`the disk of ${disk.folder}`);
  } finally {
    disk.remove();
  }
});

onDisk('a disk that fills up is told, and no more when there is room again', async () => {
  const disk = openDisk(1100);
  try {
    const level = () => checkDisk([disk.folder])[0]!.level;
    expect(level()).toBe('ok');
    disk.fill();
    expect(level()).toBe('error');
    disk.free();
    expect(level()).toBe('ok');
  } finally {
    disk.remove();
  }
});
