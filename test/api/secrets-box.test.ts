import { existsSync, lstatSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createSecretsBox } from '../../api/secrets-box.ts';
import { withFolder } from '../support/folder.ts';

const env = { KEY: 'value' };

test('values are kept for their owner alone until they are removed, and for others there are none', () =>
  withFolder(async (folder) => {
    const box = createSecretsBox(folder);
    await box.put('sub_1', env);
    expect([await box.get('sub_1'), await box.get('sub_2')]).toEqual([env, null]);
    expect(lstatSync(join(folder, 'sub_1.json')).mode & 0o777).toBe(0o600);
    expect(box.list()).toEqual(['sub_1']);
    for (const id of ['sub_1', 'sub_1', 'sub_2']) await box.remove(id);
    expect([await box.get('sub_1'), box.list()]).toEqual([null, []]);
  }));

test('values that cannot be read are not taken for none, and can be removed', () =>
  withFolder(async (folder) => {
    const box = createSecretsBox(folder);
    const file = join(folder, 'sub_1.json');
    // Any mistake but that there is nothing; root may read all, so no permission makes one.
    symlinkSync(file, file);
    expect(existsSync(file)).toBe(false);
    await expect(box.get('sub_1')).rejects.toMatchObject({ code: 'ELOOP' });
    await box.remove('sub_1');
    expect(box.list()).toEqual([]);
  }));

test('a file in the place of their folder is named with what to do, and is no trouble for what has no values', () =>
  withFolder(async (parent) => {
    const folder = join(parent, 'secrets');
    const box = createSecretsBox(folder);
    await box.put('sub_1', env);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    const named = {
      code: 'home_unusable',
      message: `${folder} is no folder`,
      hint: expect.stringContaining('move away what lies there'),
    };
    await expect(box.put('sub_2', env)).rejects.toMatchObject(named);
    // Not taken for none: the folder may be put back.
    await expect(box.get('sub_1')).rejects.toMatchObject(named);
    expect(() => createSecretsBox(folder)).toThrow(expect.objectContaining(named));
    await box.remove('sub_2');
    rmSync(folder);
    await box.put('sub_2', env);
    expect([await box.get('sub_2'), box.list()]).toEqual([env, ['sub_2']]);
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  }));
