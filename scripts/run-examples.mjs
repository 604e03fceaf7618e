// Runs each program of examples/. The programs contain assertions and must exit 0.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'examples');
let failed = 0;
for (const name of readdirSync(folder).filter((file) => file.endsWith('.mjs'))) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, name)], { timeout: 120_000 });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} examples/${name}`);
  if (status !== 0) {
    failed++;
    console.error(`${stdout}${stderr}`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
