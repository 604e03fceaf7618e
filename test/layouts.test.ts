import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const PROGRAM = `
  import { createToolwright } from 'toolwright';
  const toolwright = await createToolwright({ dataDir: process.argv[2] });
  const { value } = await toolwright.execute('return 6 * 7');
  await toolwright.close();
  console.log(value);
`;
let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'toolwright-layout-'));
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

function copyPackage(target: string): void {
  mkdirSync(target, { recursive: true });
  for (const part of ['dist', 'package.json']) cpSync(join(root, part), join(target, part), { recursive: true });
}

function runProgram(): string {
  writeFileSync(join(project, 'main.mjs'), PROGRAM);
  const { stdout, stderr } = spawnSync(process.execPath, ['main.mjs', join(project, 'state')], {
    cwd: project,
    timeout: 60_000,
  });
  return `${stdout}${stderr}`.trim();
}

it('runs where every package is a link into a store, as pnpm installs', () => {
  const store = join(project, 'node_modules/.pnpm');
  const own = join(store, 'toolwright@0.1.0/node_modules');
  copyPackage(join(own, 'toolwright'));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(own, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(own, name));
  }
  symlinkSync(join(own, 'toolwright'), join(project, 'node_modules/toolwright'));
  expect(runProgram()).toBe('42');
});

it('runs where the whole of node_modules is a link', () => {
  const elsewhere = join(project, 'elsewhere');
  copyPackage(join(elsewhere, 'toolwright'));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '.bin') symlinkSync(join(root, 'node_modules', name), join(elsewhere, name));
  }
  symlinkSync(elsewhere, join(project, 'node_modules'));
  expect(runProgram()).toBe('42');
});
