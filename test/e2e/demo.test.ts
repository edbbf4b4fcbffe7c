/** What a newcomer sees first: the demo, and the stack in the foreground until Ctrl-C. */
import { expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, discover } from '../../client/index.ts';
import { withFolder } from '../support/folder.ts';
import { cleanEnv, offshoot, startOffshoot } from './commands.ts';
import { untilRunning } from './crash-fixture.ts';
import { until } from './stack.ts';

const demoFile = fileURLToPath(new URL('../../dist/demo/main.js', import.meta.url));

test(
  'the demo shows a tree in all three modes and every answer, and ends with 0',
  () =>
    withFolder(async (folder) => {
      // Whoever tries things by hand has one set, with a stack up; the demo leaves it alone.
      const named = join(folder, 'somebody-s');
      const demo = spawn(process.execPath, [demoFile], {
        env: cleanEnv({ OFFSHOOT_HOME: named, TMPDIR: folder }),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said, [code]] = await Promise.all([text(demo.stdout), once(demo, 'exit')]);
      expect(code).toBe(0);
      const [, tree, answers] = said.split(/^Who asked whom.*|^The answers/m);
      for (const line of [
        /✓ Prepare release 1\.4 +ASYNC_POLL +demo/,
        /├─ ✓ Write the changelog +ASYNC_CALLBACK +demo/,
        /│ {2}├─ ✓ Collect merged changes +ASYNC_CALLBACK +demo/,
        /│ {2}└─ ✓ Check the version number +ASYNC_CALLBACK +demo/,
        /├─ ✓ Run the test suite +ASYNC_POLL +demo/,
        /├─ ✓ Review open questions +SYNC +demo/,
        /│ {2}└─ ✓ Ask the specialist +SYNC +demo/,
        /└─ ✗ Try the old importer +ASYNC_POLL +demo .*\n +exited with code 1: the old importer is gone/,
      ]) {
        expect(tree).toMatch(line);
      }
      const blocks = answers!.split('\n\n').map((block) => block.trim().split(/\n */));
      expect(
        Object.fromEntries(blocks.map(([who, ...answer]) => [who, answer.join('\n')])),
      ).toMatchObject({
        'Prepare release 1.4 completed': expect.stringContaining('Write the changelog completed: '),
        'Write the changelog completed': expect.stringContaining('2 of them breaking'),
        'Collect merged changes completed': '12 changes, 2 of them breaking',
        'Check the version number completed': '1.4.0 is free',
        'Run the test suite completed': '212 passed',
        'Review open questions completed': expect.stringMatching(
          /no objections\n.*question was open/,
        ),
        'Ask the specialist completed': 'no objections',
        'Try the old importer failed': 'exited with code 1: the old importer is gone',
      });
      expect(readdirSync(folder)).toEqual([]);
    }),
  90_000,
);

test(
  'a demo whose output nobody reads any more ends with its stack, and leaves nothing behind',
  () =>
    withFolder(async (folder) => {
      const demo = spawn(process.execPath, [demoFile], {
        env: cleanEnv({ TMPDIR: folder }),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const complaint = text(demo.stderr);
      // As `| head` goes: once the server runs, which would outlive it.
      let said = '';
      for await (const chunk of demo.stdout.iterator({ destroyOnReturn: true })) {
        said += String(chunk);
        if (said.includes('server: up')) break;
      }
      await once(demo, 'exit');
      expect(await complaint).not.toContain('EPIPE');
      expect(readdirSync(folder)).toEqual([]);
      const all = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
      expect(all.split('\n').filter((one) => one.includes(folder))).toEqual([]);
    }),
  60_000,
);

test('the demo tells wrong usage as every command does, before anything is started', () => {
  const demo = spawnSync(process.execPath, [demoFile, '--bogus'], {
    env: cleanEnv(),
    encoding: 'utf8',
  });
  expect(demo).toMatchObject({
    status: 2,
    stdout: '',
    stderr: "offshoot: Unknown option '--bogus'.\n  npm run demo -- [--keep] [--home <folder>]\n",
  });
});

test('npx offshoot in this folder is the command that was built', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const npx = spawn('npx', ['--no-install', 'offshoot', '--version'], {
    cwd: root,
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(await text(npx.stdout)).toBe(`${version}\n`);
});

test(
  'up without the Temporal that is named says so, and works all the same',
  () =>
    withFolder(async (home) => {
      const env = { OFFSHOOT_HOME: home, TEMPORAL_ADDRESS: '127.0.0.1:9' };
      const up = startOffshoot(['up', '--port', '0'], { env });
      await until(
        async () => up.stderr(),
        (said) => said.includes('Ctrl-C stops it.'),
        30,
      );
      const trouble = 'Temporal at 127.0.0.1:9 is not reached: it does not answer within 1 s.';
      expect(up.stderr()).toContain(trouble);
      const again = await offshoot(['up', '--detach'], { env });
      expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining(trouble) });
      const run = await offshoot(['run', 'demo', 'say hi'], { env });
      expect(run).toMatchObject({ code: 0, stdout: 'hi\n' });
      up.child.kill('SIGINT');
      expect((await up.ended).code).toBe(0);
    }),
  60_000,
);

test(
  'up stays until Ctrl-C, says where everything is, and what becomes of running agents',
  () =>
    withFolder(async (home) => {
      const up = startOffshoot(['up', '--port', '0'], { env: { OFFSHOOT_HOME: home } });
      await until(
        async () => up.stdout(),
        (said) => said.includes('home '),
        60,
      );
      const { url } = discover(home);
      expect(up.stdout()).toMatch(new RegExp(`^ +API +${url}$`, 'm'));
      for (const label of ['API docs', 'Temporal UI']) {
        const line = new RegExp(`^ +${label} +(http://127\\.0\\.0\\.1:\\d+.*)$`, 'm');
        const [, address] = line.exec(up.stdout())!;
        expect([address, (await fetch(address!)).status]).toEqual([address, 200]);
      }
      expect(up.stdout()).toMatch(/^ +runner host +local, 4 slots$/m);
      const client = createClient(discover(home));
      const { id } = await client.call('runSubagent', {
        ...{ runnerId: 'demo', prompt: 'sleep 60', executionMode: 'ASYNC_POLL' },
      });
      await untilRunning(client, id);
      up.child.kill('SIGINT');
      const { code, stderr } = await up.ended;
      expect(stderr).toContain('1 agent is running and will be asked to stop');
      expect(code).toBe(0);
    }),
  120_000,
);
