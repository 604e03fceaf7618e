// Runs the tests of the sandbox jail, its conformance suite and the attacks with other versions of Node. Their V8 reserves
// memory and calls the kernel in other ways. TOOLWRIGHT_NODES names their programs: a list with ":" between two paths.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const nodes = (process.env.TOOLWRIGHT_NODES ?? '').split(':').filter(Boolean);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const RUNS = [
  ['--project', 'sandboxes', 'test/sandboxes/jail.test.ts', 'test/jail'],
  ['--project', 'attacks', 'test/attacks/jail.test.ts'],
];

if (nodes.length === 0)
  console.log('Skipped: TOOLWRIGHT_NODES names no other Node, such as /opt/node-24/bin/node:/opt/node-26/bin/node.');
for (const node of nodes) {
  const { stdout, status } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`TOOLWRIGHT_NODES names ${node}, which does not run.`);
  for (const args of RUNS) {
    console.log(`Node ${stdout.trim()}: vitest run ${args.join(' ')}`);
    const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
    const run = spawnSync(node, [vitest, 'run', ...args], {
      cwd: root,
      env: { ...process.env, PATH },
      stdio: 'inherit',
    });
    if (run.status !== 0) process.exit(run.status ?? 1);
  }
}
