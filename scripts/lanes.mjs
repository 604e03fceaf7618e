// The lanes of tests that run apart from the short truth of `npm test`, and the lanes that a change can break.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Commits that have landed, one a line, the newest last. */
const LANDINGS = '.ci/landings';
/** Every so many landings, all lanes run. */
const ALL_EVERY = 20;
/** A change of these can break every lane. */
const SHARED =
  /^(\.ci\/(?!landings)|package(-lock)?\.json$|tsconfig|vitest\.config\.ts$|scripts\/|test\/((?:fixtures|suites)\/|[\w-]+\.ts$))/;
/** Files that no lane reads but those that name them: `npm run check` reads them. */
const PROSE = /\.md$|^(docs|bench|\.github|\.changeset)\//;

const vitest = (...projects) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  ...projects.flatMap((name) => ['--project', name]),
];

/**
 * Each lane: the folders that it tests, its own files, its program for Node, and the seconds that Vitest takes on two idle cores. `short`
 * replaces the program where a long form would take longer than a landing may wait; `null` leaves the lane to `npm run test:all`.
 */
export const LANES = {
  slow: {
    tests: ['core', 'storage', 'connectors', 'pii', 'sandbox', 'server', 'n8n', 'conformance'],
    files: /^packages\/.*\.slow\.test\.ts$/,
    run: vitest('slow'),
    seconds: 600,
  },
  integration: {
    tests: ['core', 'storage', 'connectors', 'server', 'toolwright', 'pii', 'sandbox'],
    files: /^test\/(e2e|http|check|oauth|clients|deploy|mistakes|poisoning|reference|skills)\//,
    run: vitest('integration'),
    seconds: 1400,
  },
  waiting: {
    tests: [
      'server/src/agent',
      'server/src/cluster',
      'core/src/execution',
      'core/src/journal',
      'core/src/workspaces',
      'storage',
    ],
    files: /^test\/(e2e|http)\//,
    run: vitest('waiting'),
    seconds: 800,
  },
  sandboxes: {
    tests: ['sandbox', 'conformance/src/sandbox'],
    files: /^test\/(sandboxes|jail|fuzz)\//,
    run: vitest('sandboxes'),
    seconds: 480,
  },
  cluster: {
    tests: ['server/src/cluster', 'storage', 'core/src/history/storages', 'core/src/journal/storages'],
    files: /^test\/cluster\//,
    run: vitest('cluster'),
    seconds: 400,
  },
  containers: {
    tests: ['sandbox/src/sandboxes/docker', 'sandbox/src/bridge', 'sandbox/src/guest', 'conformance/src/sandbox'],
    files: /^(test\/containers|deploy)\//,
    run: vitest('containers'),
    seconds: 300,
  },
  attacks: { tests: ['sandbox'], files: /^test\/attacks\//, run: vitest('attacks'), short: null },
  browser: {
    tests: ['dashboard', 'vscode', 'server/src/http', 'server/src/dashboard'],
    files: /^test\/(dashboard|vscode)\//,
    run: vitest('browser'),
    seconds: 590,
  },
  n8n: { tests: ['n8n'], files: /^test\/n8n\//, run: vitest('n8n'), seconds: 60 },
  soak: {
    tests: ['server/src/http'],
    files: /^test\/soak\//,
    run: ['scripts/soak.mjs'],
    // The parts have bars for a machine that does nothing else.
    short: ['scripts/soak.mjs', '--seconds', '30', '--part', 'soak'],
  },
  conformance: {
    tests: ['server/src/mcp', 'connectors/src/mcp'],
    files: /^test\/conformance\//,
    run: ['scripts/conformance.mjs'],
  },
  integrations: {
    tests: ['toolwright/src/integrations'],
    files: /^examples\/integrations\//,
    run: ['scripts/integrations.mjs'],
  },
  servers: {
    tests: ['connectors/src/mcp', 'core/src/catalog/signatures'],
    files: /^examples\/servers\//,
    run: ['scripts/server-corpus.mjs'],
    short: ['scripts/server-corpus.mjs', '--installed'],
  },
  published: {
    tests: ['core', 'storage', 'connectors', 'pii', 'sandbox', 'server', 'toolwright', 'n8n', 'conformance'],
    files:
      /^(README\.md$|packages\/[^/]+\/(README\.md|package\.json)$|docs\/|examples\/[^/]+$|bench\/tokens\/|test\/published\/)/,
    run: vitest('published'),
    seconds: 300,
  },
  nodes: { tests: ['sandbox'], files: /^test\/jail\//, run: ['scripts/other-nodes.mjs'] },
  microvm: { tests: ['sandbox'], files: /^test\/microvm\//, run: vitest('microvm'), short: null },
};

const sources = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|cjs|js|py)$/.test(entry.name) && !entry.name.includes('.test.'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => path.includes('/src/'));

/** Returns the sources in these folders of packages, and those that they import. */
function tested(folders) {
  const own = folders.flatMap((folder) => sources(`packages/${folder}`));
  const imported = own.flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, target]) =>
      join(dirname(path), target).split(sep).join('/'),
    ),
  );
  return new Set([...own, ...imported]);
}

/** Returns the lanes that a change of these files can break, each with the first file that is the reason. */
export function lanesOf(files) {
  const changed = files.filter((file) => !PROSE.test(file));
  const shared = changed.find((file) => SHARED.test(file));
  return Object.entries(LANES).flatMap(([name, lane]) => {
    const subjects = tested(lane.tests);
    const isTested = (file) =>
      subjects.has(file) || lane.tests.some((folder) => file.startsWith(`packages/${folder}/`));
    const reason = shared ?? files.find((file) => lane.files.test(file)) ?? changed.find(isTested);
    return reason === undefined ? [] : [[name, reason]];
  });
}

function landings() {
  return readFileSync(join(ROOT, LANDINGS), 'utf8').split('\n').filter(Boolean);
}

/** Returns the number of commits that have landed. */
export function countLandings() {
  return landings().length;
}

/** Returns whether the next landing runs all lanes, without a limit of time. */
export function isFullLanding() {
  return countLandings() % ALL_EVERY === 0;
}

/** Returns the newest commit that has landed. */
export function lastLanding() {
  return landings().at(-1);
}

/** Returns the files that differ from the last landed commit, or the reason why all lanes must run. */
export function changedFiles() {
  if (isFullLanding()) return { reason: `${countLandings()} landings: all lanes run every ${ALL_EVERY}` };
  const range = `${lastLanding()}...HEAD`;
  const { status, stdout } = spawnSync('git', ['diff', '--name-only', range], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) return { reason: `this clone lacks ${lastLanding()}, the last landed commit` };
  return { files: stdout.split('\n').filter(Boolean) };
}
