/** Projects, so that the quick tests run without the slow ones: `npx jest --selectProjects unit`. */

const shared = {
  testEnvironment: 'node',
  // Sources are ES modules; jest runs them as CommonJS, which needs no experimental flag of Node.
  transform: {
    '\\.[jt]sx?$|\\.mjs$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript', tsx: false } },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Packages that ship ES modules only have to be transformed too; all others load as they are.
  transformIgnorePatterns: ['/node_modules/', '/dist/'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.dist-'],
};

const slow = ['workflows', 'replay', 'e2e', 'faults', 'fuzz-long'];
/** Half an hour of deaths, for `npm run test:faults` alone. */
const wholeWalk = '<rootDir>/test/faults/whole-walk.test.ts';

export default {
  // Two cores are what a small machine has; engine and agents want their share.
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  testTimeout: 30_000,
  globalSetup: './test/support/global-setup.ts',
  globalTeardown: './test/support/global-teardown.ts',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...slow.map((name) => `<rootDir>/test/${name}/`)],
    },
    {
      ...shared,
      displayName: 'workflows',
      testMatch: ['<rootDir>/test/{workflows,replay}/**/*.test.ts'],
    },
    // Runs for minutes, and looks elsewhere each time: `npm run test:fuzz`.
    { ...shared, displayName: 'fuzz', testMatch: ['<rootDir>/test/fuzz-long/**/*.test.ts'] },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/{e2e,faults}/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', wholeWalk],
    },
    { ...shared, displayName: 'faults', testMatch: [wholeWalk] },
  ],
};
