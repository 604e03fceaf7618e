// Runs the soak test: npm run test:soak -- --seconds 60 --seed 7. The default is 10 minutes and the seed 1. `--part descriptors` runs
// one file of test/soak/parts, and `--part soak` only the load.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const options = { seconds: { type: 'string' }, seed: { type: 'string' }, part: { type: 'string' } };
const { part, ...numbers } = parseArgs({ options }).values;
const env = { ...process.env };
for (const [name, text] of Object.entries(numbers)) {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} takes a positive whole number, not "${text}".`);
  env[`TOOLWRIGHT_SOAK_${name.toUpperCase()}`] = text;
}
const files = part === undefined ? [] : [part === 'soak' ? 'soak/soak.test.ts' : `parts/${part}.test.ts`];
// The last option would take a file after it as its value.
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...files, '--project', 'soak', '--disable-console-intercept'];
process.exit(spawnSync(process.execPath, vitest, { env, stdio: 'inherit' }).status ?? 1);
