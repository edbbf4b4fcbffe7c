import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { configSchema, readEnvironment } from '../../contract/config.ts';
import { connectOptions } from '../../engine/connect-options.ts';
import { writeEngineFile } from '../../engine/engine-file.ts';
import { withFolder } from '../support/folder.ts';

const config = configSchema.parse({}).engine;

function optionsFor(home: string, env: Record<string, string>) {
  return connectOptions({ home, env, environment: readEnvironment(env), config });
}

test('our own dev server is found by its file, and there is none before it was started', async () => {
  await withFolder(async (home) => {
    expect(optionsFor(home, {})).toBeNull();
    writeEngineFile(home, {
      pid: 1,
      start: '',
      startedAt: '',
      address: '127.0.0.1:1234',
      uiUrl: 'http://127.0.0.1:1235',
      namespace: 'default',
      version: '1.31.2',
      binary: '/t',
    });
    expect(optionsFor(home, {})).toEqual({
      address: '127.0.0.1:1234',
      namespace: 'default',
      uiUrl: 'http://127.0.0.1:1235',
      connection: { address: '127.0.0.1:1234' },
      managed: true,
      instance: '1@',
    });
  });
});

test("TEMPORAL_ADDRESS names a Temporal of the user's own", async () => {
  await withFolder(async (home) => {
    const env = { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_NAMESPACE: 'agents' };
    expect(optionsFor(home, { ...env, HOME: home })).toMatchObject({
      address: 'temporal.example:7233',
      namespace: 'agents',
      connection: { address: 'temporal.example:7233' },
      managed: false,
    });
  });
});

test('a profile brings its address, namespace, key and headers', async () => {
  await withFolder(async (home) => {
    const file = join(home, 'temporal.toml');
    const lines = [
      '[profile.cloud]',
      'address = "x.tmprl.cloud:7233"',
      'namespace = "x.y"',
      'api_key = "secret"',
      '[profile.cloud.grpc_meta]',
      'team = "agents"',
    ];
    writeFileSync(file, lines.join('\n'));
    const env = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'cloud' };
    expect(optionsFor(home, env)).toEqual({
      address: 'x.tmprl.cloud:7233',
      namespace: 'x.y',
      uiUrl: null,
      connection: {
        address: 'x.tmprl.cloud:7233',
        apiKey: 'secret',
        metadata: { team: 'agents' },
        tls: expect.anything(),
      },
      managed: false,
      instance: null,
    });
  });
});

const missing = '/nonexistent/temporal.toml';
test.each([
  [{ TEMPORAL_PROFILE: 'nope' }, "Profile 'nope' not found in config data", 'TEMPORAL_PROFILE'],
  [{ TEMPORAL_CONFIG_FILE: missing }, `there is no file ${missing}`, 'TEMPORAL_CONFIG_FILE'],
  [
    { TEMPORAL_ADDRESS: 'http://localhost:7233' },
    'its address must be a host or host:port, not http://localhost:7233',
    'TEMPORAL_ADDRESS',
  ],
  ...['99999', '65536', '0', '123456'].map((port): [Record<string, string>, string, string] => [
    { TEMPORAL_ADDRESS: `127.0.0.1:${port}` },
    `its port must be 1 to 65535, not ${port}`,
    'TEMPORAL_ADDRESS',
  ]),
])('a Temporal named by %o is refused at once, with what is wrong', async (env, why, name) => {
  await withFolder(async (home) => {
    const refused = { code: 'config_invalid', message: expect.stringContaining(why) };
    const hint = expect.stringContaining(`It is named by ${name}:`);
    expect(() => optionsFor(home, { ...env, HOME: home })).toThrow(
      expect.objectContaining({ ...refused, hint }),
    );
  });
});

test('a file that is no TOML is told in one line', async () => {
  await withFolder(async (home) => {
    const file = join(home, 'temporal.toml');
    writeFileSync(file, 'x = = y');
    expect(() => optionsFor(home, { TEMPORAL_CONFIG_FILE: file })).toThrow(
      /^the Temporal that is named cannot be used: Invalid TOML document: invalid value$/,
    );
  });
});

test.each(['localhost', 'localhost:7233', '[::1]:7233', 'localhost:65535', 'a-b.tmprl.cloud:7233'])(
  '%s is an address',
  async (address) => {
    await withFolder(async (home) => {
      expect(optionsFor(home, { TEMPORAL_ADDRESS: address, HOME: home })?.managed).toBe(false);
    });
  },
);
