import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { refusal, withOperations, type Room } from './operations-fixture.ts';

test('without a workspace an invocation has a folder of its own, and its children share it before it is made', async () => {
  await withOperations(async (room) => {
    const { id, sessionKey, context } = await room.start();
    expect(context.workspacePath).toBe(join(room.deps.paths.work, id));
    const child = await room.start({ parentSessionId: sessionKey });
    expect(child.context.workspacePath).toBe(context.workspacePath);
    expect(existsSync(context.workspacePath)).toBe(false);
  });
});

test('files of a folder that is still to be made are missed by name', async () => {
  await withOperations(async (room) => {
    const call = room.start({ context: { files: ['plan.md'] } });
    await expect(call).rejects.toThrow('plan.md does not exist in the workspace');
  });
});

test("a child works where its parent works, and a session's child in its project", async () => {
  await withOperations(async (room) => {
    const parent = await room.start({ context: { workspacePath: room.workspace } });
    const child = await room.start({}, room.child(parent.id));
    expect(child.context.workspacePath).toBe(room.workspace);

    await room.ask('registerSession', { key: 'main', project: room.workspace });
    const ofSession = await room.start({ parentSessionId: 'main' });
    expect(ofSession.context.workspacePath).toBe(room.workspace);

    await room.ask('registerSession', { key: 'far', project: '/no/such/folder/here' });
    const elsewhere = await room.start({ parentSessionId: 'far' });
    expect(elsewhere.context.workspacePath).toBe(join(room.deps.paths.work, elsewhere.id));
  });
});

test('a workspace that is not there is refused by name, and no row is written', async () => {
  await withOperations(async (room) => {
    const missing = join(room.workspace, 'missing');
    const call = room.start({ context: { workspacePath: missing } });
    await expect(call).rejects.toThrow(missing);
    const file = join(room.workspace, 'file');
    writeFileSync(file, '');
    expect(await refusal(room.start({ context: { workspacePath: file } }))).toBe(
      'workspace_missing',
    );
    expect(room.count('subagent_sessions')).toBe(0);
  });
});

test('a relative workspace is refused: whose folder it would start from, nobody knows', async () => {
  await withOperations(async (room) => {
    expect(await refusal(room.start({ context: { workspacePath: 'store' } }))).toBe('bad_request');
    expect(await refusal(room.start({ context: { workspacePath: '.' } }))).toBe('bad_request');
  });
});

const withFiles = (room: Room, files: string[]) =>
  room.start({ context: { workspacePath: room.workspace, files } });

test('files are stored as a JSON array of absolute paths', async () => {
  await withOperations(async (room) => {
    mkdirSync(join(room.workspace, 'docs'));
    writeFileSync(join(room.workspace, 'docs', 'a b.md'), '');
    writeFileSync(join(room.workspace, '..odd'), '');
    const { id } = await withFiles(room, ['docs/a b.md', './docs/../..odd']);
    const expected = [join(room.workspace, 'docs/a b.md'), join(room.workspace, '..odd')];
    expect(JSON.parse(room.row(id).files_json!)).toEqual(expected);
    expect((await room.host.claim(id)).files).toEqual(expected);
  });
});

test('a file that is not there is refused by name', async () => {
  await withOperations(async (room) => {
    await expect(withFiles(room, ['not-there.md'])).rejects.toThrow('not-there.md');
    expect(await refusal(withFiles(room, ['not-there.md']))).toBe('file_missing');
    expect(await refusal(withFiles(room, ['.']))).toBe('file_missing');
    expect(room.count('subagent_sessions')).toBe(0);
  });
});

test('no path and no link leads out of the workspace', async () => {
  await withOperations(async (room) => {
    const outside = mkdtempSync(join(tmpdir(), 'offshoot-outside-'));
    try {
      const secret = join(outside, 'secret');
      writeFileSync(secret, '');
      symlinkSync(secret, join(room.workspace, 'link'));
      symlinkSync(outside, join(room.workspace, 'folder'));
      mkdirSync(`${room.workspace}-other`);
      writeFileSync(`${room.workspace}-other/file`, '');
      for (const path of [
        '../project-other/file',
        `${room.workspace}-other/file`,
        secret,
        '/etc/hostname',
        '../../../../../../../../etc/passwd',
        'link',
        'folder/secret',
        'folder/../folder/secret',
      ]) {
        expect([path, await refusal(withFiles(room, [path]))]).toEqual([
          path,
          'file_outside_workspace',
        ]);
      }
      // Nothing is said about what exists elsewhere.
      expect(await refusal(withFiles(room, [`${outside}/not-there`]))).toBe(
        'file_outside_workspace',
      );
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});

test('a link that stays inside is followed, and so is a workspace that is itself a link', async () => {
  await withOperations(async (room) => {
    writeFileSync(join(room.workspace, 'real.md'), '');
    symlinkSync('real.md', join(room.workspace, 'link.md'));
    symlinkSync(room.workspace, join(room.home, 'shortcut'));
    await withFiles(room, ['link.md']);
    const workspacePath = join(room.home, 'shortcut');
    await room.start({ context: { workspacePath, files: ['real.md'] } });
  });
});
