// Installs the packed packages into an empty project. Checks the size of the installation, and the declarations of all exports. Checks the
// types of program.ts with the module resolutions of Node and of bundlers, and runs it. Needs the npm registry.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { manifestOf, packageFolders, ROOT, run } from '../packages.mjs';
import { bytesOnDisk } from './bytes-on-disk.mjs';

const MAX_MB = 62;
const SHOWN = 12;
const MIB = 1024 * 1024;
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const RESOLUTIONS = { nodenext: ['nodenext', 'nodenext'], bundler: ['esnext', 'bundler'] };

/** Exports whose types are those of optional peer dependencies. */
const OF_PEERS = /^toolwright\/|^@toolwright\/storage\/shared-state$/;
/** Libraries that the program brings along. */
const OF_PROGRAM = ['pino', 'zod'];

/** Installs the tarballs into a folder. Raises an error for a package that is too large, has wrong types or does not work. */
export function checkInstalled(tarballs, folder) {
  const isNative = (path) => basename(path).startsWith('toolwright-libsql-');
  // As the dependency of a user it is optional: npm installs it where Node has no SQLite.
  const optionalDependencies = { '@toolwright/libsql': `file:${tarballs.find(isNative)}` };
  const manifest = { private: true, type: 'module', optionalDependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const named = tarballs.filter((path) => !isNative(path));
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...named], folder);
  measure(join(folder, 'node_modules'));
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const own = OF_PROGRAM.map((name) => `${name}@${devDependencies[name]}`);
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--no-save', ...own], folder);
  copyFileSync(new URL('program.ts', import.meta.url), join(folder, 'program.ts'));
  writeFileSync(join(folder, 'exports.ts'), importsOfAll());
  for (const [name, resolution] of Object.entries(RESOLUTIONS)) {
    run(process.execPath, [TSC, ...tscOptions(...resolution), 'program.ts', 'exports.ts'], folder);
    console.log(`ok     types with the module resolution "${name}"`);
  }
  run(process.execPath, ['program.js'], folder);
  console.log('ok     public API');
}

/** Returns a program that imports every export, so that the compiler checks every declaration. */
function importsOfAll() {
  const names = packageFolders().flatMap((folder) => {
    const { name, exports } = manifestOf(folder);
    // Only the store loads this one.
    if (name === '@toolwright/libsql') return [];
    return Object.entries(exports).flatMap(([place, { types }]) => (types ? [`${name}${place.slice(1)}`] : []));
  });
  const checked = names.filter((name) => !OF_PEERS.test(name));
  return checked.map((name, index) => `export * as part${index} from '${name}';\n`).join('');
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
  return [
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    '--strict',
    '--skipLibCheck',
    'false',
    ...types,
  ];
}
