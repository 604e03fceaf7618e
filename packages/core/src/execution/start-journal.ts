import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dataFolder } from '../journal/data-folder.ts';
import { addToHistory, continueInHistory, endStatus, type HistoryStatus } from '../journal/history.ts';
import { journalKey } from '../journal/integrity.ts';
import { continueJournal, type Journal, openJournal } from '../journal/journal.ts';
import type { ProcessLease } from '../journal/leases/process-lease.ts';
import { type DiskSpace, spaceOf } from '../workspaces/disk-space.ts';
import type { Execution } from './execution.ts';
import { changedLimits } from './limits.ts';
import type { ExecutionWatch } from './listing/watch.ts';

/** Numbers of one entry with readings of the clock. Two are one time. */
const MAX_READINGS = 4_000;

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
  const { limits, sessionId, fork } = settings;
  const { executions, history, journalKey: keyFile } = dataFolder(context.dataDir);
  const { durability, watch } = context;
  const owner = { id, userId: session.userId, space: session.space, watch };
  const options = { maxBytes: limits.journalBytes, durability, key: journalKey(keyFile), checkOwner: lease.check };
  const thisProcess = { host: { name: hostname(), pid: process.pid }, owner: lease.id };
  if (earlier) {
    const journal = continueJournal(executions, earlier.recording, thisProcess, options);
    const setStatus = continueInHistory(history(session.userId), id);
    return tracked(journal, { ...owner, setStatus, isContinued: true });
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
    ...(settings.dryRun ? { dryRun: true as const } : {}),
    ...(settings.approved === undefined ? {} : { approved: settings.approved }),
    // Before the source, so that a list reads only the head of the journal.
    ...(fork ? { forkedFrom: { id: fork.from, at: fork.at } } : {}),
    source: source.slice(0, limits.sourceBytes),
    catalogHash: context.catalog.hash(),
    seed: program.seed,
    epochMs: program.epochMs,
  };
  const setStatus = addToHistory(history(session.userId), { id, session: sessionId });
  const journal = openJournal(executions, start, options);
  // The program reads these times again, and does not report them.
  for (let at = 0; fork && at < fork.clock.length; at += MAX_READINGS) {
    journal.readClock(JSON.stringify(fork.clock.slice(at, at + MAX_READINGS)));
  }
  return tracked(journal, { ...owner, setStatus });
}

interface Tracking {
  readonly id: string;
  readonly userId: string;
  readonly watch: ExecutionWatch | undefined;
  readonly setStatus: (status: HistoryStatus) => void;
  readonly space: DiskSpace | undefined;
  /** Whether the space of the user has the journal already. */
  readonly isContinued?: boolean;
}

/**
 * Returns a journal that reports its changes. When it is closed, it sets the status in the history, and adds its size to the space of the
 * user.
 */
function tracked(journal: Journal, { id, userId, watch, setStatus, space, isContinued = false }: Tracking): Journal {
  const size = () => spaceOf({ bytes: statSync(journal.path, { throwIfNoEntry: false })?.size ?? 0, files: 1 });
  const before = space && isContinued ? size() : 0;
  const closed = (status: HistoryStatus) => {
    setStatus(status);
    space?.add(size() - before);
    watch?.changed(id);
  };
  const changed = () => watch?.changed(id);
  /** The tools of the calls under way, by number. */
  const tools = new Map<number, string>();
  const report = (number: number, tool: string, state: 'started' | 'answered' | 'failed') =>
    watch?.call(id, userId, { number, tool, state, at: new Date().toISOString() });
  changed();
  return {
    ...journal,
    begin(call) {
      journal.begin(call);
      tools.set(call.number, call.tool);
      report(call.number, call.tool, 'started');
    },
    end(call) {
      journal.end(call);
      report(call.number, tools.get(call.number) ?? '', call.ok ? 'answered' : 'failed');
      tools.delete(call.number);
    },
    ask(question) {
      journal.ask(question);
      changed();
    },
    decide(decision) {
      journal.decide(decision);
      changed();
    },
    close(status, more) {
      journal.close(status, more);
      closed(endStatus(status, more?.limit));
    },
    suspend(entry) {
      journal.suspend(entry);
      closed('suspended');
    },
  };
}
