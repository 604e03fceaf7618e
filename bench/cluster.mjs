// Runs a cluster of six processes under load and faults: npm run bench:cluster -- --seconds 60 --seed 7. The default is 10 minutes
// and the seed 1. The load, the faults and the checks are those of test/cluster.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const DEFAULT_SECONDS = '600';
const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
const env = { ...process.env, TOOLWRIGHT_CLUSTER_SECONDS: DEFAULT_SECONDS };
for (const [name, text] of Object.entries(values)) {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} takes a positive whole number, not "${text}".`);
  env[`TOOLWRIGHT_CLUSTER_${name.toUpperCase()}`] = text;
}
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'cluster', '--disable-console-intercept'];
process.exit(spawnSync(process.execPath, vitest, { env, stdio: 'inherit' }).status ?? 1);
