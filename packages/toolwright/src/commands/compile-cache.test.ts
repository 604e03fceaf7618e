import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { keepCompiledCode } from './compile-cache.ts';

let cache: string;
let folder: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'toolwright-compiled-'));
  folder = join(cache, 'toolwright', 'compiled');
  onTestFinished(() => rmSync(cache, { recursive: true }));
});

/** Returns the folders that Node is to use. */
function folders(env: NodeJS.ProcessEnv = {}): string[] {
  const chosen: string[] = [];
  keepCompiledCode({ XDG_CACHE_HOME: cache, ...env }, (path: string) => chosen.push(path));
  return chosen;
}

it('keeps compiled code in a folder of this user', () => {
  expect([folders(), folders()]).toEqual([[folder], [folder]]);
});

it.runIf(process.platform !== 'win32')('keeps nothing in a folder that others can write, or that is a link', () => {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect(folders()).toEqual([]);
  rmSync(folder, { recursive: true });
  symlinkSync(cache, folder);
  expect(folders()).toEqual([]);
});

it('keeps nothing where there can be no folder, and leaves the choice to the variables of Node', () => {
  expect(folders({ NODE_COMPILE_CACHE: '/elsewhere' })).toEqual([]);
  expect(folders({ NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([]);
  writeFileSync(join(cache, 'toolwright'), '');
  expect(folders()).toEqual([]);
});
