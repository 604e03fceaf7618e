// Compiles src/ to dist/ and copies what stays as it is: the guest files, which run inside sandboxes, and the program of a
// process beside ours.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
const watch = 'sandboxes/docker/watch.js';
cpSync(join(root, 'src', watch), join(root, 'dist', watch));
chmodSync(join(root, 'dist/cli.js'), 0o755);
