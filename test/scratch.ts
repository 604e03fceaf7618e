import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProcesses } from './fixtures/sources.ts';

/** Set while a test run has its folder: every project of a run calls `setup`. */
const OWNER = 'TOOLWRIGHT_TESTS_SCRATCH';

/** Builds the programs of further processes, creates one temporary folder for a test run, and removes it with its content at the end. */
export default async function setup(): Promise<() => void> {
  const { TMPDIR, XDG_CACHE_HOME } = process.env;
  if (process.env[OWNER] !== undefined) return () => undefined;
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-tests-'));
  process.env.TMPDIR = folder;
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
  process.env[OWNER] = folder;
  await bundleProcesses();
  return () => {
    restore({ TMPDIR, XDG_CACHE_HOME, [OWNER]: undefined });
    rmSync(folder, { recursive: true, force: true });
  };
}

function restore(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
