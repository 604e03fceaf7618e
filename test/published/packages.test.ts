import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryScript } from '../fixtures/repository-script.ts';

/** Installing and compiling on a busy machine. */
const TIMEOUT_MS = 900_000;

test(
  'every package is complete, has types that resolve, and works where it is installed',
  () => {
    const { status, stderr } = repositoryScript(['scripts/check-packages.mjs'], { timeoutMs: TIMEOUT_MS });
    expect([status, stderr]).toEqual([0, '']);
  },
  TIMEOUT_MS,
);

test('a release without publishing packs every package', () => {
  const { status, stdout, stderr } = repositoryScript(['scripts/release.mjs', '--dry-run'], { timeoutMs: TIMEOUT_MS });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^(would publish (@toolwright\/)?\w+ \d+\.\d+\.\d+ \(\d+ kB\)\n)+$/);
});

test('the check of packages finds missing exports and types that do not resolve', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-broken-'));
  try {
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/index.js'), 'export const a = 1;\n');
    const exports = { '.': './dist/index.js', './gone': { types: './dist/gone.d.ts', default: './dist/gone.js' } };
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'broken', version: '1.0.0', type: 'module', exports }),
    );
    const { status, stdout, stderr } = repositoryScript(['scripts/check-packages.mjs', folder], {
      timeoutMs: TIMEOUT_MS,
    });
    expect([status, stdout]).toEqual([1, 'FAILED broken 1.0.0\n']);
    expect(stderr).toMatch(/error: .*gone\.js.*does not exist/);
    expect(stderr).toContain('This package does not contain types.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
