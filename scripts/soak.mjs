// Runs the soak test: npm run test:soak -- --seconds 60 --seed 7. The default is 10 minutes and the seed 1.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
const env = { ...process.env };
for (const [name, text] of Object.entries(values)) {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} takes a positive whole number, not "${text}".`);
  env[`TOOLWRIGHT_SOAK_${name.toUpperCase()}`] = text;
}
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'soak', '--disable-console-intercept'];
process.exit(spawnSync(process.execPath, vitest, { env, stdio: 'inherit' }).status ?? 1);
