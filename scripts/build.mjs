// Compiles packages/*/src to packages/*/dist, in the order of their dependencies. Copies files that are not compiled: the guest
// files, the program that watches containers, and the system prompt.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleLibraries } from './bundle.mjs';

const PACKAGES = ['sandbox', 'pii', 'core', 'n8n', 'server', 'toolwright'];
const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages');
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

for (const name of PACKAGES) {
  const folder = join(packages, name);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const compiled = spawnSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', folder], { stdio: 'inherit' });
  if (compiled.status !== 0) process.exit(compiled.status ?? 1);
  copyFileSync(join(packages, '../LICENSE'), join(folder, 'LICENSE'));
}
await bundleLibraries(join(packages, 'core'));
cpSync(join(packages, 'sandbox/src/guest'), join(packages, 'sandbox/dist/guest'), {
  recursive: true,
  filter: (path) => !/\.test\.ts$|__pycache__/.test(path),
});
for (const file of ['sandbox/*/sandboxes/docker/watch.js', 'server/*/agent/system-prompt.md']) {
  copyFileSync(join(packages, file.replace('*', 'src')), join(packages, file.replace('*', 'dist')));
}
chmodSync(join(packages, 'toolwright/dist/cli.js'), 0o755);
