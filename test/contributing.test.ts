import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { LANES, lanesOf } from '../scripts/lanes.mjs';
import { at, list } from './deploy/yaml.ts';
import { repositoryScript } from './fixtures/repository-script.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const scripts: object = JSON.parse(read('package.json')).scripts;
const MAX_LINES = 100;

/** Parses a YAML file strictly: a duplicate key is an error. */
function readYaml(path: string): unknown {
  const document = parseDocument(read(path), { strict: true, uniqueKeys: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new Error(`${path}: ${problem.message}`);
  return document.toJS();
}

/** Returns the scripts that a text runs by `npm run` and that package.json lacks. */
function missingScripts(text: string): string[] {
  const named = [...text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map(([, name = '']) => name);
  return named.filter((name) => !Object.hasOwn(scripts, name));
}

test('CONTRIBUTING.md is short and names only existing scripts', () => {
  const text = read('CONTRIBUTING.md');
  expect([text.split('\n').length <= MAX_LINES + 1, missingScripts(text)]).toEqual([true, []]);
});

test('every decision record has the parts of the template, and a row in the index', () => {
  const parts = ['Status: ', '## Context', '## Decision', '## Alternatives considered', '## Consequences'];
  const index = read('docs/decisions/README.md');
  for (const name of readdirSync(join(root, 'docs/decisions')).filter((file) => file !== 'README.md')) {
    const text = read(`docs/decisions/${name}`);
    expect([name, parts.filter((part) => !text.includes(part)), index.includes(`(${name})`)]).toEqual([name, [], true]);
  }
});

describe.each(readdirSync(join(root, '.github/workflows')))('workflow %s', (file) => {
  const path = `.github/workflows/${file}`;
  const workflow = readYaml(path);
  const jobs = Object.entries(Object(at(workflow, 'jobs')));

  test('every job has a machine, a time limit and steps, and runs only existing scripts', () => {
    expect(jobs.length).toBeGreaterThan(0);
    for (const [name, job] of jobs) {
      expect([name, typeof at(job, 'runs-on'), typeof at(job, 'timeout-minutes')]).toEqual([name, 'string', 'number']);
      const steps = list(job, 'steps');
      expect(steps.every((step) => (at(step, 'uses') === undefined) !== (at(step, 'run') === undefined))).toBe(true);
      const actions = steps.flatMap((step) => at(step, 'uses') ?? []);
      expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@v\d+$/.test(String(action)))).toEqual([]);
    }
    expect(missingScripts(read(path))).toEqual([]);
  });

  test('the token has only the declared permissions', () => {
    expect(at(workflow, 'permissions')).toBeDefined();
    expect(read(path)).not.toMatch(/registry-url|https?:/);
  });
});

test.each([
  ['packages/n8n/src/plugin.ts', 'n8n'],
  ['packages/dashboard/src/app/gate.tsx', 'browser'],
  ['packages/sandbox/src/guest/node.cjs', 'attacks'],
  ['packages/server/src/cluster/channel.ts', 'cluster'],
  // A file that the folder of a lane imports.
  ['packages/core/src/errors.ts', 'waiting'],
  ['test/e2e/http-life.test.ts', 'waiting'],
])('a change of %s runs the lane %s, and not all lanes', (file, lane) => {
  const lanes = lanesOf([file, 'docs/index.md']).map(([name]) => name);
  expect(lanes).toContain(lane);
  expect(lanes.length).toBeLessThan(Object.keys(LANES).length);
});

test.each(['package-lock.json', 'test/fixtures/needs.ts', '.ci/run', 'vitest.config.ts'])(
  'a change of %s runs all lanes',
  (file) => expect(lanesOf([file]).map(([name]) => name)).toEqual(Object.keys(LANES)),
);

test('a change of documents runs only the lane that runs their examples', () => {
  expect(lanesOf(['docs/cli.md', 'README.md', 'bench/speed.mjs'])).toEqual([['published', 'docs/cli.md']]);
});

test('CI runs Node 20, 22, 24 and 26 on Linux, and macOS and Windows', () => {
  const workflow = readYaml('.github/workflows/ci.yml');
  expect(list(workflow, 'jobs.test.strategy.matrix.node')).toEqual([20, 22, 24, 26]);
  // The lane "nodes" needs other Nodes on one machine: the matrix above has them.
  const lanes = Object.keys(LANES).filter((name) => name !== 'nodes');
  expect(list(workflow, 'jobs.lane.strategy.matrix.lane').sort()).toEqual(lanes.sort());
  const systems = list(workflow, 'jobs.other-systems.strategy.matrix.os').map((name) => String(name).split('-')[0]);
  expect(systems).toEqual(['macos', 'windows']);
});

test.each<[string, Record<string, string>, string[], RegExp]>([
  ['a temporary folder that is gone', { TMPDIR: join(root, 'nowhere') }, ['--short-truth'], /set TMPDIR to a folder/],
  [
    'a full disk',
    { TMPDIR: '/proc' },
    ['--short-truth'],
    /0 MiB free, .*: free some, or set TMPDIR|set TMPDIR to a folder/,
  ],
  ['a lane that does not exist', {}, ['--lane', 'clutser'], /There is no lane "clutser". The lanes are: slow, /],
])('the runner of tests names %s, and ends', (_case, env, args, message) => {
  const { status, stdout, stderr } = repositoryScript(['scripts/test.mjs', ...args], { env, timeoutMs: 100_000 });
  expect([status === 0, stdout, message.test(stderr)]).toEqual([false, '', true]);
});

test('issue forms have a name, a description and a body', () => {
  const forms = readdirSync(join(root, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');
  for (const name of forms) {
    const form = readYaml(`.github/ISSUE_TEMPLATE/${name}`);
    expect([typeof at(form, 'name'), typeof at(form, 'description'), list(form, 'body').length > 0]).toEqual([
      'string',
      'string',
      true,
    ]);
    const fields = list(form, 'body').filter((field) => at(field, 'type') !== 'markdown');
    expect(new Set(fields.map((field) => at(field, 'id'))).size).toBe(fields.length);
  }
  expect(Object.keys(Object(readYaml('.github/ISSUE_TEMPLATE/config.yml')))).toEqual(['blank_issues_enabled']);
});

test('changesets give all packages one version', async () => {
  // The libraries of the command itself: they validate the configuration like a release.
  const require = createRequire(createRequire(import.meta.url).resolve('@changesets/cli/package.json'));
  const packages = await require('@manypkg/get-packages').getPackages(root);
  const { fixed } = await require('@changesets/config').read(root, packages);
  const names: string[] = packages.packages.map((found: { packageJson: { name: string } }) => found.packageJson.name);
  expect(fixed.map((group: string[]) => group.sort())).toEqual([names.sort()]);
  const changed = readdirSync(join(root, '.changeset'))
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .flatMap((file) => [...read(`.changeset/${file}`).matchAll(/^'([^']+)': (?:patch|minor|major)$/gm)]);
  expect(changed.filter(([, name = '']) => !names.includes(name))).toEqual([]);
});
