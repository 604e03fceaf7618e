// Builds the web application into packages/server/dashboard, which is published with that package.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const INPUTS = ['index.html', 'package.json', 'vite.config.ts', 'public', 'src'];

/**
 * Builds the dashboard with Vite. Does nothing when its sources, the lock file and the built files are those of the last build.
 * @param {string} root
 */
export async function buildDashboard(root) {
  const [source, target] = [join(root, 'packages/dashboard'), join(root, 'packages/server/dashboard')];
  const stamp = join(root, 'node_modules/.cache/toolwright/dashboard');
  const inputs = [join(root, 'package-lock.json'), ...INPUTS.map((name) => join(source, name)), target];
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(inputs)) return;
  const { build } = await import('vite');
  await build({ root: source, configFile: join(source, 'vite.config.ts'), logLevel: 'error' });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hashOf(inputs));
}

/**
 * Returns a hash of files, and of all files in folders.
 * @param {readonly string[]} paths
 * @returns {string}
 */
export function hashOf(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const path of paths.flatMap(filesIn)) hash.update(path).update(readFileSync(path));
  return hash.digest('hex');
}

function filesIn(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
