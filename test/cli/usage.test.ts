/** What is said of a command line that cannot be carried out, and what to do then. */
import { expect, test } from '@jest/globals';
import { answerProblem, withFakeServer } from '../client/fake-server.ts';
import { cli } from './cli-harness.ts';

const url = 'http://127.0.0.1:1';

test.each([
  [['run', 'demo', 'x', '--modes'], "unknown option '--modes'", 'offshoot run --help shows how'],
  [['list', '--since', 'yesterday'], 'It must be a date', 'offshoot list --help shows how'],
  [['config', 'show', 'x'], 'too many arguments', 'offshoot config show --help shows how'],
  [
    ['callbacks', '-s', 'read'],
    "argument 'read' is invalid",
    'offshoot callbacks --help shows how',
  ],
  [['rum'], "unknown command 'rum'", 'offshoot --help shows the commands'],
])(
  '%j names the help of its own command, and with --json is an error like all others',
  async (args, message, help) => {
    const run = await cli(args, { url });
    expect(run).toMatchObject({ exitCode: 2, out: '' });
    expect(run.err).toContain(message);
    expect(run.err.trimEnd().split('\n').at(-1)).toContain(help);
    const json = await cli([...args, '--json'], { url });
    expect(json).toMatchObject({ exitCode: 2, out: '' });
    expect(JSON.parse(json.err)).toEqual({
      error: {
        code: 'bad_request',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(help),
      },
    });
  },
);

test('no command at all is a mistake with --json, too', async () => {
  const run = await cli(['config', '--json'], { url });
  expect(run).toMatchObject({ exitCode: 2, out: '' });
  expect(JSON.parse(run.err)).toEqual({
    error: {
      code: 'bad_request',
      message: expect.any(String),
      hint: 'offshoot config --help shows how it is called',
    },
  });
  expect((await cli(['list', '--help', '--json'], { url })).out).toContain('Usage: offshoot list');
});

test.each([
  ['there is no invocation sub_x', ['get', 'sub_x'], '`offshoot list` shows them.'],
  ['there is no session nope', ['tree', 'nope'], '`offshoot sessions` shows them.'],
])('where %s the command that shows those that are there is named', (detail, args, hint) => {
  const problem = { type: 'about:blank', title: 'x', status: 404, code: 'not_found', hint: null };
  return withFakeServer(
    (_, response) => {
      response.writeHead(404, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify({ ...problem, detail }));
    },
    async (server) => {
      const run = await cli(args, { url: server.url });
      expect(run).toMatchObject({ exitCode: 3, err: `offshoot: ${detail}\n  ${hint}\n` });
    },
  );
});

test.each([
  [['help'], 'offshoot [options]'],
  [['help', 'config'], 'offshoot config [options]'],
  [['help', 'config', 'check'], 'offshoot config check'],
  [['help', 'worker', 'token'], 'offshoot worker token'],
  [['help', 'engine', 'build', '--json'], 'offshoot engine build'],
  // Nothing is run by it.
  [['help', 'run', 'demo', 'x'], 'offshoot run'],
])('%j shows the help of that command', async (args, usage) => {
  const run = await cli(args, { url });
  expect(run).toMatchObject({ exitCode: 0, err: '' });
  expect(run.out).toContain(`Usage: ${usage}`);
});

test.each([
  [['help', 'nope'], "error: unknown command 'nope'", '(offshoot --help shows the commands)'],
  [['help', 'lst'], 'Did you mean list?', '(offshoot --help shows the commands)'],
  [['help', 'config', 'nope'], "unknown command 'nope'", '(offshoot config --help shows how'],
  [['help', 'worker', 'nope'], 'too many arguments', '(offshoot worker --help shows how'],
])('%j names the mistake, and shows no help of something else', async (args, message, help) => {
  const run = await cli(args, { url });
  expect(run).toMatchObject({ exitCode: 2, out: '' });
  expect(run.err).toContain(message);
  expect(run.err.trimEnd().split('\n').at(-1)).toContain(help);
});

test('an address without its token is refused, also where no server runs here', async () => {
  const home = '/nonexistent/offshoot-home';
  const run = await cli(['list'], { home, env: { OFFSHOOT_URL: 'http://127.0.0.1:8464' } });
  expect(run).toMatchObject({ exitCode: 2, out: '' });
  expect(run.err).toContain('offshoot: A token is needed for http://127.0.0.1:8464.\n');
});

const ask = ['run', 'demo', 'x'];

test.each([
  [[...ask, '--wall', 'abc'], '--wall', 'a number of seconds, 1 to 2592000.'],
  [[...ask, '--wall', '0'], '--wall', 'a number of seconds, 1 to 2592000.'],
  [[...ask, '--max-depth', '99'], '--max-depth', 'a whole number, 0 to 20.'],
  [[...ask, '--max-children', '501'], '--max-children', 'a whole number, 0 to 500.'],
  [['search', 'x', '-n', '50'], '--limit', 'a whole number, 1 to 20.'],
  [['search', 'x', '-n', '0'], '--limit', 'a whole number, 1 to 20.'],
])('%j names the option and its bounds, and asks no server', async (args, option, bounds) => {
  const run = await cli(args, { url });
  expect(run).toMatchObject({ exitCode: 2, out: '' });
  expect(run.err).toContain(`${option} <`);
  expect(run.err).toContain(`It must be ${bounds}`);
});

test('what the bounds allow is sent as it was given', () =>
  withFakeServer(
    (_, response) => answerProblem(response, 404, 'not_found'),
    async (server) => {
      const limits = [
        '--wall',
        '1.5',
        '--max-depth',
        '20',
        '--max-children',
        '0',
        '-m',
        'ASYNC_POLL',
      ];
      await cli([...ask, ...limits], { url: server.url });
      expect(server.seen[0]?.body).toMatchObject({
        limits: { wallSeconds: 1.5, maxDepth: 20, maxChildren: 0 },
      });
    },
  ));

test.each(['hook', 'search', 'sessions', 'exit-codes'])(
  'what the help of %s says of its own fits 80 columns',
  async (command) => {
    const { out } = await cli([command, '--help'], { url });
    // The options above it are folded to the terminal.
    const [, own = ''] = out.split('show help\n');
    expect(own).not.toBe('');
    expect(own.split('\n').filter((line) => line.length > 80)).toEqual([]);
  },
);
