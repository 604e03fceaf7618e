// Runs a cluster of six processes under load and faults: npm run bench:cluster -- --seconds 60 --seed 7. The default is 10 minutes
// and the seed 1. The load, the faults and the checks are those of test/cluster. With --folder, two processes share a data folder instead.
// With --calls 2000, it makes so many calls for each of 50 users over three processes instead, and looks for values that another user received.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const DEFAULT_SECONDS = '600';
const NAMES = {
  seconds: 'TOOLWRIGHT_CLUSTER_SECONDS',
  seed: 'TOOLWRIGHT_CLUSTER_SEED',
  calls: 'TOOLWRIGHT_CROSSED_CALLS',
};
const numbers = { seconds: { type: 'string' }, seed: { type: 'string' }, calls: { type: 'string' } };
const { folder, ...values } = parseArgs({ options: { ...numbers, folder: { type: 'boolean' } } }).values;
const env = { ...process.env, TOOLWRIGHT_CLUSTER_SECONDS: DEFAULT_SECONDS, TOOLWRIGHT_SUITE: 'all' };
for (const [name, text] of Object.entries(values)) {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} takes a positive whole number, not "${text}".`);
  env[NAMES[name]] = text;
}
const file = `test/cluster/${folder ? 'one-folder' : values.calls === undefined ? 'cluster' : 'crossed'}.test.ts`;
const vitest = ['node_modules/vitest/vitest.mjs', 'run', file, '--project', 'cluster', '--disable-console-intercept'];
process.exit(spawnSync(process.execPath, vitest, { env, stdio: 'inherit' }).status ?? 1);
