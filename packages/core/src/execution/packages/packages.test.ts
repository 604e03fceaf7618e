import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { loadConfig } from '../../config/config.ts';
import { resolveSettings } from '../../settings.ts';
import { noPackages, openConfiguredPackages } from './packages.ts';

const MIB = 1024 * 1024;
const LOCKED = {
  format: 1,
  python: {
    requested: ['pandas==3.0.2'],
    target: 'cp311-linux-x64',
    sandboxes: ['jail'],
    packages: [
      { name: 'pandas', version: '3.0.2', hash: `sha256:${'a'.repeat(64)}`, file: 'pandas-3.0.2-py3-none-any.whl' },
    ],
  },
};

function write(config: object, lock?: object): string {
  const folder = temporaryFolder();
  const file = join(folder, 'toolwright.json');
  writeFileSync(file, JSON.stringify({ ...config, dataDir: './data' }));
  if (lock) writeFileSync(join(folder, 'toolwright.lock'), JSON.stringify(lock));
  return file;
}

async function open(config: object, lock?: object) {
  const warnings: unknown[] = [];
  const loaded = await loadConfig({ path: write(config, lock), env: {} });
  const packages = await openConfiguredPackages(loaded, { warn: (_, text) => void warnings.push(text) });
  return { packages, warnings };
}

it('without packages, there is no hash, and an import that finds nothing names the command', async () => {
  const { packages, warnings } = await open({});
  expect([packages.hash, packages.installed('python'), warnings]).toEqual([undefined, [], []]);
  const add = ' To add a package, the user runs: toolwright packages add';
  expect(packages.advice('python', 'pandas', 'jail')).toBe(`${add} pandas --language python`);
  expect(packages.advice('python', 'sklearn')).toBe(`${add} scikit-learn --language python`);
  for (const path of ['lodash', 'lodash/fp', 'npm:lodash@4'])
    expect(packages.advice('typescript', path)).toBe(`${add} lodash --language typescript`);
  expect(packages.advice('typescript', '@a/b/c.js')).toBe(`${add} @a/b --language typescript`);
  expect(packages.advice('typescript', 'https://esm.sh/lodash')).toBe('');
  expect(packages.advice('python', 'requests')).toBe('');
});

it('without a configuration, nobody can add a package', () => {
  expect([noPackages().installed('python'), noPackages().advice('python', 'pandas')]).toEqual([[], '']);
});

it.each([
  [
    'no lock',
    undefined,
    /The packages of .*toolwright\.json are not those of .*toolwright\.lock\. Run: toolwright packages sync/,
  ],
  ['a lock for other requests', { ...LOCKED, python: { ...LOCKED.python, requested: ['numpy'] } }, /are not those of/],
  [
    'a lock whose packages are not built',
    LOCKED,
    /The packages of toolwright\.lock are not built in .*Run: toolwright packages sync/,
  ],
])('%s is a warning, and each import that finds nothing names the command', async (_, lock, problem) => {
  const { packages, warnings } = await open({ packages: { python: ['pandas==3.0.2'] } }, lock);
  expect(packages.problem).toMatch(problem);
  expect(warnings).toEqual([packages.problem]);
  expect(packages.advice('python', 'pandas', 'jail')).toBe(` ${packages.problem}`);
});

it('a damaged lock is an error', async () => {
  const damaged = open({ packages: { python: ['pandas'] } }, { format: 1, python: {} });
  await expect(damaged).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/toolwright\.lock is not valid: python\.requested/),
  });
});

it('programs have 512 MiB by default once Python packages are configured', async () => {
  const memoryOf = async (config: object) => (await resolveSettings({ config: write(config) })).limits.memoryBytes;
  const packages = { python: ['pandas'] };
  const all = [{}, { packages }, { packages: { presets: ['data'] } }, { packages, limits: { memoryBytes: 64 * MIB } }];
  expect(await Promise.all(all.map(memoryOf))).toEqual([128 * MIB, 512 * MIB, 512 * MIB, 64 * MIB]);
});
