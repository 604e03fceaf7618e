// Installs the packed packages into an empty project. Checks the size of the installation, the types of program.ts with the
// module resolutions of Node and of bundlers, and the run of program.ts. Needs the npm registry.
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../packages.mjs';
import { bytesOnDisk } from './bytes-on-disk.mjs';

const MAX_MB = 100;
const SHOWN = 12;
const MIB = 1024 * 1024;
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const RESOLUTIONS = { node16: ['node16', 'node16'], bundler: ['esnext', 'bundler'] };

/** Installs the tarballs into a folder. Raises an error for a package that is too large, has wrong types or does not work. */
export function checkInstalled(tarballs, folder) {
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...tarballs], folder);
  measure(join(folder, 'node_modules'));
  copyFileSync(new URL('program.ts', import.meta.url), join(folder, 'program.ts'));
  for (const [name, resolution] of Object.entries(RESOLUTIONS)) {
    run(process.execPath, [TSC, ...tscOptions(...resolution), 'program.ts'], folder);
    console.log(`ok     types with the module resolution "${name}"`);
  }
  run(process.execPath, ['program.js'], folder);
  console.log('ok     public API');
}

function measure(modules) {
  const counted = new Set();
  const sizes = readdirSync(modules).map((name) => [name, bytesOnDisk(join(modules, name), counted) / MIB]);
  for (const [name, size] of sizes.sort((a, b) => b[1] - a[1]).slice(0, SHOWN))
    console.log(size.toFixed(1).padStart(6), name);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  const summary = `${total.toFixed(1)} MB installed, limit ${MAX_MB}`;
  if (total > MAX_MB) throw new Error(summary);
  console.log(`ok     ${summary}`);
}

function tscOptions(module, moduleResolution) {
  const options = { target: 'es2023', lib: 'es2023,esnext.disposable', module, moduleResolution };
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
  return [...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]), '--strict', ...types];
}
