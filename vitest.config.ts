import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests run the sources of all packages: nothing has to be built for those that start no process of ours. */
const source = (path: string) => fileURLToPath(new URL(`packages/${path}.ts`, import.meta.url));
const alias = [
  { find: /^@toolwright\/core\/conformance\/connector$/, replacement: source('core/src/connectors/conformance') },
  { find: /^@toolwright\/core\/conformance\/sandbox$/, replacement: source('core/src/execution/conformance') },
  { find: /^@toolwright\/core\/conformance\/store$/, replacement: source('core/src/stores/conformance') },
  { find: /^@toolwright\/(\w+)\/(internal|errors)$/, replacement: source('$1/src/$2') },
  { find: /^@toolwright\/(\w+)$/, replacement: source('$1/src/index') },
];

const ATTACKS = 'test/attacks/**/*.test.ts';
const CONTAINERS = ['test/sandboxes/docker.test.ts', 'test/containers/*.test.ts', 'test/attacks/docker.test.ts'];
const MACHINES = 'test/microvm/**/*.test.ts';
const LIVE = 'test/live/**/*.test.ts';
const DOCUMENTS = [
  'test/structure/*.test.ts',
  'test/readme.test.ts',
  'test/outcomes.test.ts',
  'scripts/textlint/*.test.mjs',
];

export default defineConfig({
  resolve: { alias },
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Tests of limits have clocks, which a machine that others use can miss. What is tried again shows as such.
    retry: process.env.CI === 'true' ? 1 : 0,
    maxWorkers: 2,
    maxConcurrency: 8,
    globalSetup: 'test/scratch.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Many tests wait for processes: a third worker uses the time. More at once in each, and clocks would not be kept.
          maxWorkers: 3,
          maxConcurrency: 4,
          // Loading the same modules for each file took a third of the time. Files that need a process of their own start one.
          isolate: false,
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [ATTACKS, MACHINES, LIVE, ...CONTAINERS, ...DOCUMENTS],
        },
      },
      // Needs a container engine, and starts one when none answers.
      {
        extends: true,
        test: { name: 'containers', include: CONTAINERS, globalSetup: 'test/fixtures/containers.ts' },
      },
      // Emulates machines with a kernel of their own, slowly: run it by `npm run test:microvm`.
      { extends: true, test: { name: 'microvm', include: [MACHINES], testTimeout: 600_000 } },
      // Installs and starts a real n8n, which takes some ten minutes and 3 GB the first time: npm run test:n8n.
      { extends: true, test: { name: 'live', include: [LIVE], testTimeout: 300_000 } },
      // Runs by itself: its bombs take all of the machine, and other tests have clocks.
      { extends: true, test: { name: 'attacks', include: [ATTACKS], exclude: CONTAINERS } },
      { extends: true, test: { name: 'structure', include: DOCUMENTS } },
    ],
  },
});
