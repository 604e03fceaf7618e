// Installs third-party programs that a check needs, so that they are not dependencies of the repository.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
const NODE = `${NODE_PACKAGE}@22.23.3`;
const OPTIONS = ['--loglevel=error', '--no-audit', '--no-fund', '--no-package-lock', '--no-save'];

/** Compilations use the headers that this Node brings along: otherwise they load them from the web. */
const nodeFolder = dirname(dirname(process.execPath));
const HEADERS = existsSync(join(nodeFolder, 'include/node/node.h')) ? { npm_config_nodedir: nodeFolder } : {};

/**
 * Installs packages and Node 22 into a cache folder of their own, unless they are there. An installation that broke off is repeated.
 * @param {string} name of the folder
 * @param {readonly string[]} specs packages with exact versions.
 * @param {{ overrides?: Record<string, string>, allowScripts?: Record<string, boolean>, flags?: readonly string[] }} [settings] settings of npm
 * @returns {{ folder: string, node: string }} the paths
 */
export function installOnDemand(name, specs, { overrides = {}, allowScripts = {}, flags = ['--ignore-scripts'] } = {}) {
  const home = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(home, 'toolwright', name);
  const found = { folder, node: join(folder, 'node_modules', NODE_PACKAGE, 'bin/node') };
  const marker = join(folder, 'installed.json');
  const wanted = JSON.stringify([...specs, NODE, overrides]);
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return found;
  console.log(`Installing ${[...specs, NODE].join(', ')} into ${folder}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', overrides, allowScripts }),
  );
  // Silent, because npm warns that this Node is too old. The programs run with the installed Node 22.
  const stdio = ['ignore', 'ignore', 'inherit'];
  const options = { cwd: folder, stdio, env: { ...process.env, ...HEADERS } };
  const { status } = spawnSync('npm', ['install', ...OPTIONS, ...flags, ...specs, NODE], options);
  if (status !== 0) throw new Error(`npm could not install ${specs.join(', ')} into ${folder}`);
  writeFileSync(marker, wanted);
  return found;
}
