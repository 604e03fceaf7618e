import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { bundleProgram } from '../../../../../test/fixtures/sources.ts';

/** Makes many objects that live for a while, first while the memory stays small. A new process has a small one. */
const PROGRAM = `
  import { getHeapSpaceStatistics } from 'node:v8';
  const { keepYoungMemorySmall, letYoungMemoryGrow } = await import(process.argv[1]);
  const bytesAfterWork = () => {
    const kept = [];
    for (let index = 0; index < 3_000_000; index++) kept[index % 50_000] = { index };
    return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').physical_space_size;
  };
  keepYoungMemorySmall();
  const small = bytesAfterWork();
  letYoungMemoryGrow();
  console.log(JSON.stringify([small, bytesAfterWork()]));`;

it('keeps the memory for new objects small, until it may grow', async () => {
  const module = join(temporaryFolder(), 'young-memory.mjs');
  await bundleProgram(fileURLToPath(new URL('./young-memory.ts', import.meta.url)), module);
  const args = ['--input-type=module', '-e', PROGRAM, pathToFileURL(module).href];
  const [small, grown] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(grown).toBeGreaterThan(2 * small);
});
