// Compiles src/ to dist/ and copies what stays as it is: the guest files, which run inside sandboxes, the program of a
// process beside ours, and the template of the system prompt.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleLibraries } from './bundle.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiled = spawnSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
cpSync(join(root, 'src/guest'), join(root, 'dist/guest'), {
  recursive: true,
  filter: (path) => !/\.test\.ts$|__pycache__/.test(path),
});
for (const file of ['sandboxes/docker/watch.js', 'agent/system-prompt.md']) {
  cpSync(join(root, 'src', file), join(root, 'dist', file));
}
await bundleLibraries(root);
chmodSync(join(root, 'dist/cli.js'), 0o755);
