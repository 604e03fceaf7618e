import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAM = `
  import { createToolwright } from 'toolwright';
  const toolwright = await createToolwright({ dataDir: process.argv[2] });
  const { value } = await toolwright.execute('return 6 * 7', { sandbox: 'quickjs' });
  await toolwright.close();
  console.log(value);
`;
/** The published packages. */
const PACKAGES = readdirSync(join(root, 'packages')).flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
  if (manifest.private === true) return [];
  const optional = Object.keys(manifest.optionalDependencies ?? {}).filter((name) =>
    existsSync(installed(folder, name)),
  );
  return {
    folder,
    name: String(manifest.name),
    dependencies: [...Object.keys(manifest.dependencies ?? {}), ...optional],
  };
});
const OWN: ReadonlySet<string> = new Set(PACKAGES.map(({ name }) => name));
let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'toolwright-layout-'));
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

function copyPackage(folder: string, target: string): void {
  mkdirSync(target, { recursive: true });
  const { files } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
  const parts = files.filter((name: string) => existsSync(join(root, 'packages', folder, name)));
  for (const part of [...parts, 'package.json']) {
    cpSync(join(root, 'packages', folder, part), join(target, part), { recursive: true });
  }
}

/** Returns the path of a package's dependency: in the package's own folder if two versions are installed. */
function installed(folder: string, dependency: string): string {
  const own = join(root, 'packages', folder, 'node_modules', dependency);
  return existsSync(own) ? own : join(root, 'node_modules', dependency);
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

function runProgram(): string {
  writeFileSync(join(project, 'main.mjs'), PROGRAM);
  const { stdout, stderr } = spawnSync(process.execPath, ['main.mjs', join(project, 'state')], {
    cwd: project,
    timeout: 60_000,
  });
  return `${stdout}${stderr}`.trim();
}

it('runs if every package is a link into a store, like with pnpm', () => {
  const store = (name: string) => join(project, 'node_modules/.pnpm', `${name.replace('/', '+')}@0.1.0/node_modules`);
  for (const { folder, name, dependencies } of PACKAGES) {
    copyPackage(folder, join(store(name), name));
    for (const dependency of dependencies) {
      const target = OWN.has(dependency) ? join(store(dependency), dependency) : installed(folder, dependency);
      link(target, join(store(name), dependency));
    }
  }
  link(join(store('toolwright'), 'toolwright'), join(project, 'node_modules/toolwright'));
  expect(runProgram()).toBe('42');
});

it('runs if the whole of node_modules is a link', () => {
  const elsewhere = join(project, 'elsewhere');
  for (const { folder, name, dependencies } of PACKAGES) {
    copyPackage(folder, join(elsewhere, name));
    for (const dependency of dependencies.filter((each) => !OWN.has(each))) {
      link(installed(folder, dependency), join(elsewhere, name, 'node_modules', dependency));
    }
  }
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '.bin' && name !== '@toolwright' && name !== 'toolwright') {
      symlinkSync(join(root, 'node_modules', name), join(elsewhere, name));
    }
  }
  symlinkSync(elsewhere, join(project, 'node_modules'));
  expect(runProgram()).toBe('42');
});
