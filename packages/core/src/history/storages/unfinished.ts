import { join } from 'node:path';
import { readHistory } from '../../journal/history.ts';
import { readRecording } from '../../journal/read-recording.ts';
import { fileReader } from '../../journal/storages/file-reader.ts';
import { dataFolder } from '../../stores/data-folder/data-folder.ts';
import { journalKey } from '../../stores/data-folder/integrity.ts';
import { namesIn } from '../old-files.ts';

/** The requests of an unfinished execution that have changed files. */
export interface PastRequests {
  readonly id: string;
  readonly session?: string | undefined;
  readonly requests: readonly number[];
}

/** Returns the changes of files that the executions of a data folder have made which are suspended or were interrupted. */
export async function readPastRequests(dataDir: string): Promise<PastRequests[]> {
  const { histories, executions, journalKey: keyFile } = dataFolder(dataDir);
  const found: PastRequests[] = [];
  for (const user of await namesIn(histories)) {
    for (const { id, status } of await readHistory(join(histories, user))) {
      if (status !== undefined && status !== 'suspended') continue;
      const recording = await readRecording(fileReader(executions), id, journalKey(keyFile)).catch(() => undefined);
      // A dry run changes no files of its session.
      if (!recording || recording.end || recording.start.dryRun) continue;
      const requests = [...recording.changes.keys()].filter((request) => !recording.unanswered.has(request));
      if (requests.length > 0) found.push({ id, session: recording.start.session, requests });
    }
  }
  return found;
}
