import type { ExecutionStorage } from '../history/storages/storage.ts';
import { readCalls } from '../journal/calls.ts';
import type { HistoryEntry } from '../journal/history.ts';
import type { SessionEntry } from './log.ts';
import type { SessionRecords } from './records/records.ts';
import type { Session } from './session.ts';

/** Interrupted executions that a log names; the newest ones. */
const MAX_INTERRUPTED = 20;
const MAX_CALLS = 100;

/**
 * Returns the log of a session, oldest first, with the executions that a crash interrupted. A killed process cannot write an
 * entry, so these come from the history of the user and from the journals.
 */
export async function sessionEntries(
  stores: {
    readonly executions: ExecutionStorage;
    readonly records: SessionRecords;
  },
  { id, userId }: Session,
): Promise<SessionEntry[]> {
  const { executions } = stores;
  const logged = await stores.records.entries(id);
  const known = new Set(logged.map(({ execution }) => execution));
  const open: HistoryEntry[] = [];
  for await (const entry of executions.listHistory(userId, { sessionId: id, status: 'interrupted' })) {
    if (entry.status === undefined && !known.has(entry.id)) open.push(entry);
    if (open.length === MAX_INTERRUPTED) break;
  }
  const found = await Promise.all(open.map((entry) => interruptedEntry(executions, entry.id, entry.startedMs)));
  const interrupted = found.flatMap((entry) => entry ?? []);
  if (interrupted.length === 0) return logged;
  return [...logged, ...interrupted].sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** Returns the entry of an execution without an end; undefined while it runs. Its program stays in its journal. */
async function interruptedEntry(
  executions: ExecutionStorage,
  id: string,
  startedMs: number,
): Promise<SessionEntry | undefined> {
  const ends = await executions.ends(id, 'head');
  if (!ends?.start || ends.start.dryRun || ends.end || ends.suspension || ends.isRunning) return undefined;
  const calls = await readCalls(executions.journals, id, { from: 1, limit: MAX_CALLS });
  return {
    at: new Date(ends.changedMs).toISOString(),
    execution: id,
    language: ends.start.language,
    code: '',
    status: 'interrupted',
    calls: calls.map(({ tool, startedAt, answer }) => ({
      tool,
      ok: answer?.ok ?? false,
      ms: answer ? Date.parse(answer.at) - Date.parse(startedAt) : 0,
      isUnknown: answer ? undefined : true,
    })),
    callCount: calls.length,
    files: [],
    ms: Math.max(0, Math.round(ends.changedMs - startedMs)),
  };
}
