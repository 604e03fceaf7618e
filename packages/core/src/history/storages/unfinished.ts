import { readJournalEnds } from '../../journal/ends.ts';
import { readRecording } from '../../journal/recording/read-recording.ts';
import { fileReader } from '../../journal/storages/file-reader.ts';
import { dataFolder } from '../../stores/data-folder/data-folder.ts';
import { journalKey } from '../../stores/data-folder/integrity.ts';
import { journalIds } from './old-files.ts';

/** The requests of an unfinished execution that have changed files. */
export interface PastRequests {
  readonly id: string;
  readonly session?: string | undefined;
  readonly requests: readonly number[];
}

/** Returns the changes of files that the executions of a data folder have made which are suspended or were interrupted. */
export async function readPastRequests(dataDir: string): Promise<PastRequests[]> {
  const { executions, journalKey: keyFile } = dataFolder(dataDir);
  const journals = fileReader(executions);
  const found: PastRequests[] = [];
  for (const id of await journalIds(executions)) {
    if ((await readJournalEnds(journals, id, 'head'))?.end) continue;
    const recording = await readRecording(journals, id, journalKey(keyFile)).catch(() => undefined);
    // A dry run changes no files of its session.
    if (!recording || recording.end || recording.start.dryRun) continue;
    const requests = [...recording.changes.keys()].filter((request) => !recording.unanswered.has(request));
    if (requests.length > 0) found.push({ id, session: recording.start.session, requests });
  }
  return found;
}
