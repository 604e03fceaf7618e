// Runs each program of examples/, some at once: they mostly wait for processes. The programs contain assertions and must exit 0.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const AT_ONCE = 3;
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'examples');
const names = readdirSync(folder).filter((file) => file.endsWith('.mjs'));

async function runNext() {
  const name = names.shift();
  if (name === undefined) return;
  const [failure, stdout, stderr] = await new Promise((resolve) => {
    execFile(process.execPath, [join(folder, name)], { timeout: 120_000 }, (...ended) => resolve(ended));
  });
  console.log(`${failure === null ? 'ok    ' : 'FAILED'} examples/${name}`);
  if (failure !== null) {
    console.error(`${stdout}${stderr}`);
    process.exitCode = 1;
  }
  await runNext();
}

await Promise.all(Array.from({ length: AT_ONCE }, runNext));
