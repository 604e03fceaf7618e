import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { Report } from './test/fixtures/report.ts';
import { alias, workerPlugin } from './test/fixtures/sources.ts';

/** Stands for the module of the editor, which exists inside of VS Code only. */
const VSCODE = fileURLToPath(new URL('test/fixtures/vscode.ts', import.meta.url));
const SOURCES = 'packages/*/src/**/*.test.ts';
/** Next to the source, and longer than some seconds: they start servers, databases or many processes, or try many inputs. */
const SLOW_SOURCES = 'packages/*/src/**/*.slow.test.ts';
/** Mostly wait for leases, time limits and processes that end: more of them at once take less time. */
const WAITING = [
  'packages/core/src/execution/questions/suspension.test.ts',
  'packages/core/src/workspaces/versioned/folders.test.ts',
  'packages/server/src/agent/storages/rows.test.ts',
  'test/http/user-caps.test.ts',
  ...[
    'agent-kill',
    'approval-prompt',
    'approvals-stdio',
    'bad-input',
    'cluster',
    'continued-crash',
    'execution-owners',
    'harness',
    'http-life',
    'idempotency-crash',
    'idempotency-restart',
    'interrupted-log',
    'mcp-tasks',
    'messages',
    'paused-process',
    'personal-data-positions',
    'questions',
    'shared-sessions',
    'store-processes',
    'task-leases',
    'task-workers',
    'execution-failover',
  ].map((name) => `test/e2e/${name}.test.ts`),
];
/** The integration of each package that every change must pass: the others are in lanes. */
const ESSENTIAL = [
  ...['access', 'approvals-mcp', 'http-api', 'library', 'mcp-server', 'n8n', 'personal-data', 'python-tools'],
  'run-command',
].map((name) => `test/e2e/${name}.test.ts`);
const ATTACKS = 'test/attacks/**/*.test.ts';
const CONTAINERS = ['test/sandboxes/docker.test.ts', 'test/containers/*.test.ts', 'test/attacks/docker.test.ts'];
const MACHINES = 'test/microvm/**/*.test.ts';
const CLUSTER = 'test/cluster/*.test.ts';
const LIVE = 'test/live/**/*.test.ts';
const SOAK = ['test/soak/soak.test.ts', 'test/soak/parts/*.test.ts'];
const SANDBOXES = [
  'test/{sandboxes,jail,fuzz}/**/*.test.ts',
  'test/{guest-files,process-isolation,python-guest}.test.ts',
];
const BROWSER = 'test/{dashboard,vscode}/**/*.test.ts';
const N8N = ['test/n8n/**/*.test.ts', 'test/e2e/{n8n*,hostile-workflows,plugin-commands}.test.ts'];
/** What readers and users of the packages get: pages, examples and tarballs. */
const PUBLISHED = 'test/published/*.test.ts';
const DOCUMENTS = [
  'test/structure/*.test.ts',
  'test/readme.test.ts',
  'test/contributing.test.ts',
  'test/outcomes.test.ts',
  'scripts/textlint/*.test.mjs',
];

for (const file of [...WAITING, ...ESSENTIAL]) {
  if (!existsSync(new URL(file, import.meta.url)))
    throw new Error(`A list of tests names ${file}, which does not exist.`);
}

/** `npx vitest` alone runs the unit tests; with a path or `--project` it runs what was asked for. */
const chosen = process.argv.slice(2).some((word) => /^--project|^[^-].*[/.]/.test(word));

export default defineConfig({
  resolve: { alias: [...alias, { find: /^vscode$/, replacement: VSCODE }] },
  plugins: [workerPlugin],
  test: {
    ...(chosen ? {} : { project: 'unit' }),
    reporters: ['default', new Report()],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    maxConcurrency: 8,
    globalSetup: 'test/scratch.ts',
    // Projects share the compiled modules.
    experimental: { fsModuleCache: true },
    // Projects run one after the other, in the order of their groups. `scripts/lanes.mjs` says which run when.
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Some tests wait for processes and clocks: a third worker uses the time.
          maxWorkers: 3,
          // Loading the same modules for each file took a third of the time. Files that need a process of their own start one.
          isolate: false,
          include: [SOURCES],
          exclude: [SLOW_SOURCES, ...WAITING],
        },
      },
      // One way through each package, with real servers, processes and sandboxes.
      {
        extends: true,
        test: { name: 'essential', maxConcurrency: 2, isolate: false, sequence: { groupOrder: 1 }, include: ESSENTIAL },
      },
      // Runs by itself: its bombs take all of the machine.
      {
        extends: true,
        test: { name: 'attacks', isolate: false, sequence: { groupOrder: 2 }, include: [ATTACKS], exclude: CONTAINERS },
      },
      {
        extends: true,
        test: { name: 'slow', maxWorkers: 3, isolate: false, sequence: { groupOrder: 3 }, include: [SLOW_SOURCES] },
      },
      // Real servers and processes.
      {
        extends: true,
        test: {
          name: 'integration',
          // Sandboxes and servers use both processors. More at once takes as long.
          maxConcurrency: 2,
          isolate: false,
          sequence: { groupOrder: 4 },
          include: ['test/**/*.test.ts'],
          exclude: [
            ...[ATTACKS, MACHINES, CLUSTER, LIVE, BROWSER],
            ...[ESSENTIAL, WAITING, SANDBOXES, CONTAINERS, N8N, SOAK, DOCUMENTS, PUBLISHED].flat(),
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'sandboxes',
          maxConcurrency: 2,
          isolate: false,
          sequence: { groupOrder: 5 },
          include: SANDBOXES,
          exclude: [...ESSENTIAL, ...CONTAINERS],
        },
      },
      {
        extends: true,
        test: { name: 'browser', maxConcurrency: 2, isolate: false, sequence: { groupOrder: 6 }, include: [BROWSER] },
      },
      {
        extends: true,
        test: {
          name: 'n8n',
          maxConcurrency: 2,
          isolate: false,
          sequence: { groupOrder: 7 },
          include: N8N,
          exclude: ESSENTIAL,
        },
      },
      {
        extends: true,
        test: { name: 'waiting', maxWorkers: 3, isolate: false, sequence: { groupOrder: 8 }, include: WAITING },
      },
      // Several processes on one PostgreSQL and one Redis, some of which are killed: npm run bench:cluster runs it for ten minutes.
      { extends: true, test: { name: 'cluster', sequence: { groupOrder: 9 }, include: [CLUSTER] } },
      // Needs a container engine, and starts one when none answers.
      {
        extends: true,
        test: {
          name: 'containers',
          sequence: { groupOrder: 10 },
          include: CONTAINERS,
          globalSetup: 'test/fixtures/containers.ts',
        },
      },
      // Emulates machines with a kernel of their own, slowly.
      {
        extends: true,
        test: { name: 'microvm', sequence: { groupOrder: 11 }, include: [MACHINES], testTimeout: 600_000 },
      },
      // Installs and starts a real n8n, which takes some ten minutes and 3 GB the first time: npm run test:n8n.
      {
        extends: true,
        test: { name: 'live', sequence: { groupOrder: 12 }, include: [LIVE], testTimeout: 1_800_000 },
      },
      // Measures one service at a time: npm run test:soak.
      {
        extends: true,
        test: { name: 'soak', sequence: { groupOrder: 13 }, include: SOAK, fileParallelism: false, maxWorkers: 1 },
      },
      { extends: true, test: { name: 'structure', sequence: { groupOrder: 14 }, include: DOCUMENTS } },
      {
        extends: true,
        // Most examples wait for processes that start: the fourth page uses the time.
        test: { name: 'published', sequence: { groupOrder: 15 }, include: [PUBLISHED], maxConcurrency: 4 },
      },
    ],
  },
});
