// The packages of this repository, for scripts that check, pack or publish them.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Returns the folders of the published packages: those in `packages/`, or the root if there are none.
 * @returns {string[]}
 */
export function packageFolders() {
  const home = join(ROOT, 'packages');
  const found = existsSync(home) ? readdirSync(home).map((name) => join(home, name)) : [];
  const folders = found.filter((folder) => existsSync(join(folder, 'package.json')));
  return (folders.length > 0 ? folders : [ROOT]).filter((folder) => !manifestOf(folder).private);
}

/**
 * Reads a package's manifest.
 * @param {string} folder
 * @returns {Record<string, any>}
 */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/**
 * Sorts packages so that each comes after its dependencies in this repository.
 * @template {{ manifest: Record<string, any> }} P
 * @param {readonly P[]} packages
 * @returns {P[]}
 */
export function inOrder(packages) {
  const seen = new Set();
  const sorted = [];
  const visit = (current) => {
    if (seen.has(current)) return;
    seen.add(current);
    const { dependencies, peerDependencies, optionalDependencies } = current.manifest;
    const needed = { ...dependencies, ...peerDependencies, ...optionalDependencies };
    for (const other of packages) if (other !== current && other.manifest.name in needed) visit(other);
    sorted.push(current);
  };
  for (const current of packages) visit(current);
  return sorted;
}

/**
 * Packs a package like `npm publish`. Build it first.
 * @param {string} folder of the package
 * @param {string} target folder of the tarball
 * @returns {string} path of the tarball
 */
export function pack(folder, target) {
  const output = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', target], folder);
  const [{ filename }] = JSON.parse(output);
  return join(target, filename);
}

/**
 * Runs a program and returns its stdout. If it fails, raises an error with its complete output.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {string}
 */
export function run(program, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}
