// Compiles packages/*/src in the order of their dependencies. packages/*/dist gets declarations and bundles, which are published.
// packages/*/build gets single modules, for benchmarks and tests. Copies files that are not compiled: the guest files, the
// program that watches containers, the system prompt, and the starter skills. Builds the dashboard and the extension for VS Code. Does nothing when nothing has changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleGuest, bundleModule, bundlePackage } from './bundle.mjs';
import { buildDashboard } from './dashboard.mjs';
import { writeVocabulary } from './vocabulary.mjs';
import { buildExtension } from './vscode.mjs';

const PACKAGES = ['sandbox', 'pii', 'connectors', 'storage', 'core', 'n8n', 'server', 'conformance', 'toolwright'];
/** Modules that load on demand without waiting, by `require`. */
const LATE = [
  ['core', 'telemetry/pino.cjs'],
  ['pii', 'detection/re2.cjs'],
  ['pii', 'redaction/log-lines/redact-log-line.cjs'],
  ['storage', 'libsql.cjs'],
];
/** The SQL files that create and upgrade the tables of both engines. */
const MIGRATIONS = ['migrations/postgres', 'migrations/sqlite'];
/** Programs of further processes, which no export imports. */
const WORKERS = {
  pii: ['search-worker.ts'],
  sandbox: ['language-worker.ts'],
  storage: ['leases/renewal-main.ts'],
  toolwright: ['notes-server.ts'],
};
/** Files that are copied as they are. */
const COPIED = [
  'core/*/execution/media/draw.js',
  'sandbox/*/sandboxes/docker/watch.js',
  'server/*/agent/prompts/system-prompt.md',
];
const POLL_MS = 200;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = join(root, 'packages');
/** The hash of the inputs of the last build. */
const stamp = join(root, 'node_modules/.cache/toolwright/build');
/** The id of the process that builds. */
const lock = `${stamp}.lock`;
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

/** Returns a hash of the sources, the settings of the compiler, and the compiled files, so that any change is noticed. */
function hashOfFiles() {
  const hash = createHash('sha256').update(process.version);
  const add = (path) => {
    if (existsSync(path)) hash.update(path).update(readFileSync(path));
  };
  for (const name of ['package-lock.json', 'tsconfig.build.json', 'tsconfig.json', 'LICENSE']) add(join(root, name));
  for (const name of readdirSync(join(root, 'scripts'))) if (name.endsWith('.mjs')) add(join(root, 'scripts', name));
  const addFolder = (folder) => {
    const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
    for (const entry of entries) if (entry.isFile()) add(join(entry.parentPath, entry.name));
  };
  for (const name of PACKAGES) {
    for (const file of ['package.json', 'tsconfig.json']) add(join(packages, name, file));
    for (const folder of ['src', 'dist', 'build']) addFolder(join(packages, name, folder));
  }
  addFolder(join(root, 'skills'));
  return hash.digest('hex');
}

/** Waits for the build of another process: two at once would remove each other's files. */
async function waitForTurn() {
  mkdirSync(dirname(lock), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      process.on('exit', () => rmSync(lock, { force: true }));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = await readFile(lock, 'utf8').catch(() => undefined);
    if (owner !== undefined && !isRunning(Number(owner))) rmSync(lock, { force: true });
    else await sleep(POLL_MS);
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

await waitForTurn();
await buildDashboard(root);
await buildExtension(root);
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOfFiles()) process.exit();

for (const name of PACKAGES) {
  const folder = join(packages, name);
  for (const made of ['dist', 'build']) rmSync(join(folder, made), { recursive: true, force: true });
  // "npm run typecheck" checks the types: here it would take two thirds of the time.
  const compiled = spawnSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', folder, '--noCheck'], {
    stdio: 'inherit',
  });
  if (compiled.status !== 0) process.exit(compiled.status ?? 1);
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}
copyFileSync(join(root, 'LICENSE'), join(packages, 'libsql/LICENSE'));
writeVocabulary(join(packages, 'core'));
await bundleGuest(join(packages, 'sandbox/src/guest'), join(packages, 'sandbox/dist/guest'));
cpSync(join(packages, 'sandbox/dist/guest'), join(packages, 'sandbox/build/guest'), { recursive: true });
for (const name of PACKAGES) await bundlePackage(join(packages, name), WORKERS[name]);
for (const [name, path] of LATE) await bundleModule(join(packages, name), path);
for (const [name, path] of LATE) cpSync(join(packages, name, 'dist', path), join(packages, name, 'build', path));
for (const folder of ['dist', 'build']) {
  for (const file of COPIED)
    copyFileSync(join(packages, file.replace('*', 'src')), join(packages, file.replace('*', folder)));
}
for (const folder of ['dist', 'build']) {
  for (const files of MIGRATIONS)
    cpSync(join(packages, 'storage/src', files), join(packages, 'storage', folder, files), { recursive: true });
}
cpSync(join(root, 'skills'), join(packages, 'toolwright/dist/skills'), { recursive: true });
chmodSync(join(packages, 'toolwright/dist/cli.js'), 0o755);
writeFileSync(stamp, hashOfFiles());
