import { dataFolder, journalKey, openPostgres } from '@toolwright/storage/internal';
import { readJournalEnds } from '../../journal/ends.ts';
import { readRecording } from '../../journal/recording/read-recording.ts';
import { fileReader } from '../../journal/storages/file.ts';
import { journalIds } from './old-files.ts';

const RUNNING = `select
  (select count(*) from toolwright.executions where owner is not null and expires_at > clock_timestamp())::int
  + (select count(*) from toolwright.tasks where owner is not null and expires_at > clock_timestamp())::int
  + (select count(*) from toolwright.work where state = 'running' and expires_at > clock_timestamp())::int as running,
  (select count(*) from toolwright.work where kind = 'execution' and fence = 0 and state in ('ready', 'waiting'))::int as queued`;

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

/** Work of a cluster that is not at rest. */
export interface UnfinishedWork {
  /** Executions, tasks and works that a living process runs. */
  readonly running: number;
  /** Programs that wait for a worker, and have no journal. */
  readonly queued: number;
}

/** Counts the work of a cluster that is not at rest. Raises `STORE_UNAVAILABLE`. */
export async function countUnfinished(store: string): Promise<UnfinishedWork> {
  await using database = openPostgres({ url: store });
  const [row] = await database.read(RUNNING);
  return { running: Number(row?.running), queued: Number(row?.queued) };
}
