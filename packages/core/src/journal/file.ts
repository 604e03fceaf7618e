import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwnFile } from '../telemetry/health/damaged-files.ts';
import { contentOf, type JournalContent } from './content.ts';

/** Milliseconds in which the process that creates a journal writes its first line. */
const CREATION_MS = 60_000;
/** The start of the first line. */
const START = '{"entry":"start"';
const EXECUTION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns whether a value can be the id of an execution, and so a part of a file name. */
export function isExecutionId(id: unknown): id is string {
  return typeof id === 'string' && EXECUTION_ID.test(id);
}

/** Reads the journal of an execution; undefined if it does not exist. A damaged journal is quarantined. */
export async function readJournal(folder: string, id: string): Promise<JournalContent | undefined> {
  if (!isExecutionId(id)) return undefined;
  const path = join(folder, `${id}.jsonl`);
  const changed = await stat(path).catch(() => undefined);
  const isNew = changed !== undefined && Date.now() - changed.mtimeMs < CREATION_MS;
  const content = await readOwnFile(path, 'journal', (text) =>
    isNew && START.startsWith(text.slice(0, START.length)) && !text.includes('\n')
      ? 'not written yet'
      : // A crash can cut off its last line.
        contentOf(text.split('\n').slice(0, -1)),
  );
  return content === 'not written yet' ? undefined : content;
}
