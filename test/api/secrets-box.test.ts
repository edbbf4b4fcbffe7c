import { existsSync, lstatSync, symlinkSync } from 'node:fs';
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
