import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'vitest';

const folder = fileURLToPath(new URL('../../examples', import.meta.url));
const programs = readdirSync(folder).filter((name) => name.endsWith('.mjs'));

// They contain assertions.
test.concurrent.each(programs)('examples/%s works', async (name) => {
  await promisify(execFile)(process.execPath, [`${folder}/${name}`]);
});
