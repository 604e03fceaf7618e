// Installs third-party programs that a check needs, so that they are not dependencies of the repository.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
/** Node 22, as a package. */
export const NODE = `${NODE_PACKAGE}@22.23.3`;

/** Returns the path of the installed {@link NODE}. */
export const nodeIn = (folder) => join(folder, 'node_modules', NODE_PACKAGE, 'bin/node');

/**
 * Installs a package and Node 22 into a separate cache folder, unless both exist.
 * @param {string} spec package and exact version
 * @param {string} program path inside `node_modules`
 * @returns {{ node: string, program: string }} the paths
 */
export function onDemand(spec, program) {
  const home = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(home, 'toolwright', spec.replace(/^@[^/]+\//, '').replace('@', '-'));
  const modules = join(folder, 'node_modules');
  const found = { node: nodeIn(folder), program: join(modules, program) };
  if (existsSync(found.node) && existsSync(found.program)) return found;
  console.log(`Installing ${spec} and ${NODE} into ${folder}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  // Silent, because npm warns that this Node is too old. The program runs with the installed Node 22.
  const args = [
    'install',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--save-exact',
    spec,
    NODE,
  ];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm could not install ${spec} into ${folder}`);
  return found;
}
