import { hostname } from 'node:os';
import { dataFolder } from '../journal/data-folder.ts';
import { addToHistory, continueInHistory, endStatus, type HistoryStatus } from '../journal/history.ts';
import { journalKey } from '../journal/integrity.ts';
import { continueJournal, type Journal, openJournal } from '../journal/journal.ts';
import type { ProcessLease } from '../journal/leases/process-lease.ts';
import type { Execution } from './execution.ts';
import { changedLimits } from './limits.ts';

/** Starts the journal of an execution, or continues it, and adds the execution to the history of its user. */
export function startJournal(
  {
    id,
    source,
    context,
    settings,
    program,
    session,
    earlier,
  }: Pick<Execution, 'id' | 'source' | 'context' | 'settings' | 'program' | 'session' | 'earlier'>,
  lease: ProcessLease,
): Journal {
  const { limits, sessionId } = settings;
  const { executions, history, journalKey: keyFile } = dataFolder(context.dataDir);
  const options = { maxBytes: limits.journalBytes, key: journalKey(keyFile), checkOwner: lease.check };
  const thisProcess = { host: { name: hostname(), pid: process.pid }, owner: lease.id };
  if (earlier) {
    const journal = continueJournal(executions, earlier.recording, thisProcess, options);
    return withStatus(journal, continueInHistory(history(session.userId), id));
  }
  const start = {
    id,
    user: session.userId,
    ...(sessionId === undefined ? {} : { session: sessionId }),
    language: context.language.name,
    sandbox: context.sandbox.name,
    ...thisProcess,
    timeoutMs: limits.timeoutMs,
    limits: changedLimits(limits),
    source: source.slice(0, limits.sourceBytes),
    catalogHash: context.catalog.hash(),
    ...program,
  };
  const setStatus = addToHistory(history(session.userId), { id, session: sessionId });
  return withStatus(openJournal(executions, start, options), setStatus);
}

/** Returns a journal that sets the status in the history when it is closed. */
function withStatus(journal: Journal, setStatus: (status: HistoryStatus) => void): Journal {
  return {
    ...journal,
    close(status, more) {
      journal.close(status, more);
      setStatus(endStatus(status, more?.limit));
    },
    suspend(entry) {
      journal.suspend(entry);
      setStatus('suspended');
    },
  };
}
