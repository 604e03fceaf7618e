import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingPip, packageMirror } from '../../../../test/fixtures/package-mirror.ts';
import { jailSandbox, probeJail } from '../sandboxes/jail.ts';
import { pyodideSandbox } from '../sandboxes/pyodide.ts';
import { quickjsSandbox } from '../sandboxes/quickjs.ts';
import type { PackageLock } from './lock.ts';
import { buildPackages, checkPackages, openPackages, resolvePackages } from './packages.ts';
import { runPackage } from './run-package.ts';

const EMPTY: PackageLock = { format: 1 };
const MEMORY = { memoryBytes: 128 * 1024 * 1024 };
const mirror = packageMirror();
const sources = { mirror: mirror.folder };
const jail = await probeJail('python');

const resolve = (python: readonly string[], typescript: readonly string[] = [], last = EMPTY) =>
  resolvePackages({ python, typescript }, { last, sources, isUpgrade: false });
const lock = async (python: readonly string[], typescript: readonly string[] = []) => {
  const locked = await resolve(python, typescript);
  await buildPackages(locked, mirror.layers, sources);
  return locked;
};
const withHash = (locked: PackageLock, language: 'python' | 'typescript', hash: string): PackageLock => {
  const part = locked[language];
  return {
    ...locked,
    ...(part && { [language]: { ...part, packages: part.packages.map((each) => ({ ...each, hash })) } }),
  };
};

afterAll(() => mirror[Symbol.dispose]());

describe.skipIf(missingPip() !== undefined)('packages of Python', () => {
  beforeAll(() => {
    const module = (text: string) => ({ 'tw_shapes/__init__.py': text });
    mirror.addWheels(
      {
        name: 'tw_shapes',
        version: '1.0',
        needs: ['tw_numbers'],
        files: module('from tw_numbers import TWO\nAREA = TWO * 3\n'),
      },
      {
        name: 'tw_shapes',
        version: '2.0',
        needs: ['tw_numbers'],
        files: module(
          'try:\n    import tw_absent\nexcept ImportError:\n    tw_absent = None\nfrom tw_numbers import TWO\nAREA = TWO * 4\n',
        ),
      },
      { name: 'tw_numbers', version: '1.5', files: { 'tw_numbers.py': 'TWO = 2\n' } },
      { name: 'tw_old', version: '1', needs: ['tw_numbers<1'], files: { 'tw_old.py': '' } },
    );
    mirror.addSource('tw_source', '1.0');
  });

  it('locks the newest wheels with their hashes, licences and dependencies', async () => {
    const { python } = await resolve(['tw-shapes']);
    expect(python).toMatchObject({
      requested: ['tw-shapes'],
      sandboxes: ['jail', 'docker', 'microsandbox', 'kubernetes'],
    });
    expect(python?.packages.map(({ name, version, license }) => [name, version, license])).toEqual([
      ['tw-numbers', '1.5', 'MIT'],
      ['tw-shapes', '2.0', 'MIT'],
    ]);
    expect(
      python?.packages.every(({ hash, file }) => /^sha256:[0-9a-f]{64}$/.test(hash) && file?.endsWith('.whl')),
    ).toBe(true);
  });

  it('keeps locked versions when another package is added, and takes newer ones for an upgrade', async () => {
    const { python: old } = await resolve(['tw-shapes==1.0']);
    const last: PackageLock = { format: 1, python: old && { ...old, requested: ['tw-shapes'] } };
    const versionOf = async (request: string, isUpgrade = false) => {
      const requests = { python: [request, 'tw-numbers'], typescript: [] };
      const { python } = await resolvePackages(requests, { last, sources, isUpgrade });
      return python?.packages.find(({ name }) => name === 'tw-shapes')?.version;
    };
    expect([await versionOf('tw-shapes'), await versionOf('tw-shapes', true)]).toEqual(['1.0', '2.0']);
    expect(await versionOf('tw-shapes>=2')).toBe('2.0');
  });

  it.each([
    ['an unknown name', ['tw-unknown'], /There is no Python package "tw-unknown" in .*mirror/],
    [
      'a version that does not exist',
      ['tw-shapes==9'],
      /There is no wheel of tw-shapes==9 .*Versions with a wheel: 1\.0, 2\.0/,
    ],
    ['a source distribution', ['tw-source'], /tw-source has only a source distribution/],
    [
      'packages that exclude each other',
      ['tw-old', 'tw-shapes'],
      /There is no wheel of tw_?-?numbers<1|exclude each other/,
    ],
  ])('refuses %s', async (_, requests, message) => {
    await expect(resolve(requests)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('builds nothing from wheels that would fill the disk', async () => {
    mirror.addWheels({ name: 'tw_bomb', version: '1', files: { 'tw_bomb.py': 'x = 1\n' } });
    const announce = `
import sys
wheel = open(sys.argv[1], "rb").read()
central = wheel.index(b"PK\\x01\\x02")
size = central + 24
open(sys.argv[1], "wb").write(wheel[:size] + (0xf0000000).to_bytes(4, "little") + wheel[size + 4:])`;
    const wheel = join(mirror.folder, 'tw_bomb-1-py3-none-any.whl');
    for (const name of ['tw_bomb', 'tw_bomb2']) {
      if (name !== 'tw_bomb') mirror.addWheels({ name, version: '1', files: { [`${name}.py`]: 'x = 1\n' } });
      execFileSync('python3', ['-I', '-c', announce, wheel.replace('tw_bomb', name)]);
    }
    await expect(lock(['tw-bomb', 'tw-bomb2'])).rejects.toThrow(
      /The wheels have 805\d+ bytes unpacked, and the limit is/,
    );
  });

  it('builds nothing from a wheel with another hash', async () => {
    const changed = withHash(await resolve(['tw-numbers']), 'python', `sha256:${'0'.repeat(64)}`);
    await expect(buildPackages(changed, mirror.layers, sources)).rejects.toThrow(/another hash than toolwright.lock/);
    await expect(checkPackages(changed, mirror.layers)).rejects.toThrow(/is not built/);
  });

  it.skipIf(!jail.available)('are imported in a jail, which cannot change them', async () => {
    const locked = await lock(['tw-shapes']);
    const { python } = await openPackages(locked, mirror.layers);
    await using sandbox = await jailSandbox({ packages: python });
    const code = `
import tw_shapes
try:
    open(tw_shapes.__file__, "a")
    changed = True
except OSError:
    changed = False
result = [tw_shapes.AREA, tw_shapes.tw_absent, tw_shapes.__file__, changed]`;
    expect(await runPackage(sandbox, { guest: 'python', code }, MEMORY)).toEqual([
      8,
      null,
      '/toolwright/packages/tw_shapes/__init__.py',
      false,
    ]);
  });

  it('those without compiled code are imported in Pyodide', async () => {
    const tag = `py3-none-linux_${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`;
    mirror.addWheels({ name: 'tw_compiled', version: '1', tag, files: { 'tw_compiled.py': 'x = 1\n' } });
    const { python } = await openPackages(await lock(['tw-shapes', 'tw-compiled']), mirror.layers);
    await using sandbox = await pyodideSandbox({ packages: python });
    const code = `
import importlib.metadata, tw_shapes
try:
    import tw_compiled
    found = True
except ImportError:
    found = False
result = [tw_shapes.AREA, tw_shapes.__file__, importlib.metadata.version("tw-shapes"), found]`;
    expect(await runPackage(sandbox, { guest: 'python', code }, MEMORY)).toEqual([
      8,
      '/toolwright/packages/tw_shapes/__init__.py',
      '2.0',
      false,
    ]);
  });

  it('a changed layer is found, and built again', async () => {
    const locked = await lock(['tw-numbers']);
    const { python: content = '' } = await openPackages(locked, mirror.layers);
    const file = join(content, 'tw_numbers.py');
    chmodSync(file, 0o644);
    writeFileSync(file, 'TWO = 3\n');
    await expect(checkPackages(locked, mirror.layers)).rejects.toThrow(/have changed since they were built/);
    await buildPackages(locked, mirror.layers, sources);
    expect(readFileSync(file, 'utf8')).toBe('TWO = 2\n');
    expect(await checkPackages(locked, mirror.layers)).toMatchObject({ python: { files: expect.any(Number) } });
  });
});

describe('packages of npm', () => {
  const version = '1.0.0';
  beforeAll(() => {
    mirror.addArchive({
      manifest: { name: 'tw-common', version, license: 'MIT', main: 'main.js', dependencies: { 'tw-inner': '^1.0.0' } },
      files: {
        'main.js':
          'const inner = require("tw-inner"); exports.double = (x) => inner(x) * 2; try { require("child_process").x } catch (e) { exports.reason = e.message }; exports.reads = typeof require("fs/promises").readFile',
      },
    });
    mirror.addArchive({
      manifest: { name: 'tw-inner', version, main: 'index.js' },
      files: { 'index.js': 'module.exports = (x) => x + 1;' },
    });
    mirror.addArchive({
      manifest: { name: '@tw/modern', version, type: 'module', exports: { '.': './index.js', './part': './part.js' } },
      files: {
        'index.js': 'import { shared } from "./part.js"; shared.count++; export const count = () => shared.count;',
        'part.js': 'export const shared = { count: 0 };',
      },
    });
    mirror.addArchive({
      manifest: { name: 'tw-script', version, scripts: { postinstall: 'touch /tmp/tw-script-ran' } },
      files: { 'index.js': '' },
    });
  });

  it('are bundled with their dependencies: names of CommonJS, subpaths, and modules that they share', async () => {
    const locked = await lock([], ['tw-common', '@tw/modern@1']);
    const { typescript: module } = await openPackages(locked, mirror.layers);
    const texts = new Map<string, string>();
    for (const name of ['tw-common', '@tw/modern', '@tw/modern/part', ...chunksOf(locked)])
      texts.set(name, (await module?.(name)) ?? '');
    await using sandbox = quickjsSandbox();
    const code = `
import common, { double, reason, reads } from 'tw-common';
import modern, { count } from '@tw/modern';
import { shared } from '@tw/modern/part';
export default () => { shared.count += 10; return [double(2), common.double === double, count(), modern.count(), reason, reads]; };`;
    const run = runPackage(sandbox, { guest: 'javascript', code }, { ...MEMORY, modules: (path) => texts.get(path) });
    expect(await run).toEqual([
      6,
      true,
      11,
      11,
      'A package uses node:child_process, which programs do not have.',
      'function',
    ]);
    expect(await module?.('tw-absent')).toBeUndefined();
    expect(locked.typescript?.packages.map(({ name, hash }) => [name, hash.slice(0, 7)])).toContainEqual([
      'tw-inner',
      'sha512-',
    ]);
  });

  it.each([
    ['an install script', ['tw-script'], /tw-script@1\.0\.0 has an install script, which is never run here/],
    ['an unknown name', ['tw-unknown'], /There is no npm package "tw-unknown"/],
    ['a version that does not exist', ['tw-inner@7'], /has no version tw-inner@7/],
  ])('refuses %s', async (_, requests, message) => {
    await expect(resolve([], requests)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('builds nothing from an archive with another hash', async () => {
    const changed = withHash(await resolve([], ['tw-inner']), 'typescript', `sha512-${'A'.repeat(86)}==`);
    await expect(buildPackages(changed, mirror.layers, sources)).rejects.toThrow(/another hash than toolwright.lock/);
    await expect(checkPackages(changed, mirror.layers)).rejects.toThrow(/is not built/);
  });

  function chunksOf(locked: PackageLock): string[] {
    expect(locked.typescript).toBeDefined();
    const folders = readdirSync(mirror.layers).flatMap((name) => readdirSync(join(mirror.layers, name, 'content')));
    return folders.filter((name) => name.startsWith('toolwright-chunk-')).map((name) => `/${name}`);
  }
});
