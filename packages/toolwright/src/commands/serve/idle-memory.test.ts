import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { bundleProgram } from '../../../../../test/fixtures/sources.ts';

/** Makes garbage, and then does nothing until it is collected. A new process has no other work. */
const PROGRAM = `
  const { collectIdleMemory } = await import(process.argv[1]);
  const used = () => Math.round(process.memoryUsage().heapUsed / 1048576);
  const looks = collectIdleMemory({ lookMs: 20 });
  let garbage = Array.from({ length: 3_000_000 }, (_, index) => ({ index }));
  const before = used();
  garbage = undefined;
  while (used() > before / 2) await new Promise((resolve) => setTimeout(resolve, 20));
  looks[Symbol.dispose]();
  console.log(JSON.stringify([before, used()]));`;

it('collects the garbage of a process that does nothing', async () => {
  const module = join(temporaryFolder(), 'idle-memory.mjs');
  await bundleProgram(fileURLToPath(new URL('./idle-memory.ts', import.meta.url)), module);
  const args = ['--input-type=module', '-e', PROGRAM, pathToFileURL(module).href];
  const [before, after] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 }));
  expect([before > 64, after < before / 2]).toEqual([true, true]);
});
