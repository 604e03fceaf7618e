// Packs all packages, installs them into an empty project like a user, and prints the size on disk.
// Fails over MAX_MB. Needs the npm registry: npm run build && node scripts/installed-size.mjs
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, packageFolders, run } from './packages.mjs';

const MAX_MB = 100;
const SHOWN = 12;
const BYTES_PER_BLOCK = 512;
const MIB = 1024 * 1024;

const counted = new Set();

/** Returns the bytes of a file or folder on disk, like `du`: a file with two hard links counts once. */
function bytesOnDisk(path) {
  const entry = lstatSync(path);
  if (entry.nlink > 1 && !entry.isDirectory()) {
    if (counted.has(entry.ino)) return 0;
    counted.add(entry.ino);
  }
  const own = (entry.blocks ?? Math.ceil(entry.size / BYTES_PER_BLOCK)) * BYTES_PER_BLOCK;
  if (!entry.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + bytesOnDisk(join(path, name)), own);
}

const folder = mkdtempSync(join(tmpdir(), 'toolwright-size-'));
try {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const tarballs = packageFolders().map((source) => pack(source, folder));
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...tarballs], folder);
  const modules = join(folder, 'node_modules');
  const sizes = readdirSync(modules).map((name) => [name, bytesOnDisk(join(modules, name)) / MIB]);
  for (const [name, size] of sizes.sort((a, b) => b[1] - a[1]).slice(0, SHOWN))
    console.log(size.toFixed(1).padStart(6), name);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  console.log(`${total.toFixed(1).padStart(6)} MB installed, the limit is ${MAX_MB} MB`);
  if (total > MAX_MB) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
