import { readdir } from 'node:fs/promises';
import { spaceOf } from '../workspaces/shared-state.ts';
import { measure, removeTree } from '../workspaces/tree.ts';

/** Suffixes of the journal, files and folders of an execution, after its id. */
const EXECUTION_SUFFIXES = ['.jsonl', '.files', '.files.parts', '.skills', '.skills.parts'] as const;

/** Returns the bytes on disk of an execution. `names` are those of the folder of executions that may be its own. */
async function measureExecution(folder: string, id: string, names: ReadonlySet<string>): Promise<number> {
  let bytes = 0;
  for (const name of EXECUTION_SUFFIXES.map((suffix) => id + suffix)) {
    if (names.has(name)) bytes += spaceOf(await measure(folder, name));
  }
  return bytes;
}

/** Returns the bytes on disk of executions. */
export async function measureExecutions(folder: string, ids: Iterable<string>): Promise<number> {
  const names = new Set(await readdir(folder).catch(() => []));
  let bytes = 0;
  for (const id of ids) bytes += await measureExecution(folder, id, names);
  return bytes;
}

/** Deletes the files of an execution. Returns the bytes on disk that are free now. */
export async function removeExecutionFiles(folder: string, id: string): Promise<number> {
  const names = EXECUTION_SUFFIXES.map((suffix) => id + suffix);
  const bytes = await measureExecution(folder, id, new Set(names));
  for (const name of names) await removeTree(folder, name);
  return bytes;
}
