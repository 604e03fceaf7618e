import { hostname } from 'node:os';
import { changedLimits } from '../../config/sections/limits.ts';
import type { ExecutionWatch } from '../../history/listing/watch.ts';
import type { OwnExecution } from '../../history/storages/storage.ts';
import type { BegunCall } from '../../journal/call-record.ts';
import type { Journal } from '../../journal/journal.ts';
import { timeText } from '../../text.ts';
import { type DiskSpace, spaceOf } from '../../workspaces/shared-state.ts';
import type { Execution, OpenedExecution } from '../execution.ts';

/** Numbers of one entry with readings of the clock. Two are one time. */
const MAX_READINGS = 4_000;

/** Starts the journal of an execution, or continues it. Resolves when the start survives a crash of this process. */
export async function startJournal(
  opened: OpenedExecution,
  program: Execution['program'],
  origins: Execution['origins'],
): Promise<OwnExecution> {
  const { id, context, settings, session, earlier } = opened;
  const { storage, watch } = context;
  const owner = { id, userId: session.userId, space: session.space, watch };
  const limits = { maxBytes: settings.limits.journalBytes };
  if (earlier) {
    const { claim, recording } = earlier;
    const journal = await claim.resume(recording, processOf(), limits);
    return { lease: claim.lease, journal: tracked(journal, { ...owner, before: recording.tail.bytes }) };
  }
  const { lease, journal } = await storage.start(startOf(opened, program, origins), limits);
  const clock = settings.fork?.clock ?? [];
  // The program reads these times again, and does not report them.
  for (let at = 0; at < clock.length; at += MAX_READINGS) {
    journal.readClock(JSON.stringify(clock.slice(at, at + MAX_READINGS)));
  }
  return { lease, journal: tracked(journal, owner) };
}

function processOf() {
  return { host: { name: hostname(), pid: process.pid } };
}

function startOf(
  { id, source, context, settings, session }: OpenedExecution,
  program: Execution['program'],
  origins: Execution['origins'],
) {
  const { limits, sessionId, fork } = settings;
  return {
    id,
    user: session.userId,
    session: sessionId,
    keeps: program.keeps ? (true as const) : undefined,
    language: context.language.name,
    sandbox: context.sandbox.name,
    ...processOf(),
    timeoutMs: limits.timeoutMs,
    limits: changedLimits(limits),
    dryRun: settings.dryRun ? (true as const) : undefined,
    approved: settings.approved,
    profile: context.catalog.profile,
    isDirect: settings.isDirect ? (true as const) : undefined,
    ...origins?.entry,
    // Before the source, so that a list reads only the head of the journal.
    forkedFrom: fork ? { id: fork.from, at: fork.at } : undefined,
    source: source.slice(0, limits.sourceBytes),
    catalogHash: context.catalog.hash(),
    packages: context.packages.hash,
    seed: program.seed,
    epochMs: program.epochMs,
  };
}

interface Tracking {
  readonly id: string;
  readonly userId: string;
  readonly watch: ExecutionWatch | undefined;
  readonly space: DiskSpace | undefined;
  /** Bytes of the journal that the space of the user has already. Default: none. */
  readonly before?: number;
}

/** Returns a journal that reports its changes. When it is closed, it adds its size to the space of the user. */
function tracked(journal: Journal, { id, userId, watch, space, before }: Tracking): Journal {
  const spaceFor = (bytes: number) => spaceOf({ bytes, files: 1 });
  /** Others read the journal, so the entries come first. */
  const report = async (changes: ExecutionWatch) => {
    await journal.flushed();
    changes.changed(id);
  };
  const changed = () => void (watch && report(watch).catch(() => undefined));
  const closed = () => {
    space?.add(spaceFor(journal.bytes()) - (before === undefined ? 0 : spaceFor(before)));
    changed();
  };
  /** The tools of the calls under way, by number. */
  const tools = new Map<number, string>();
  changed();
  return {
    ...journal,
    begin(call: BegunCall, mayShare?: boolean) {
      const begun = journal.begin(call, mayShare === true);
      const { number, tool } = call;
      tools.set(number, tool);
      watch?.call(id, userId, { number, tool, state: 'started', at: timeText() });
      return begun;
    },
    end(call) {
      journal.end(call);
      const { number, ok } = call;
      const tool = tools.get(number) ?? '';
      watch?.call(id, userId, { number, tool, state: ok ? 'answered' : 'failed', at: timeText() });
      tools.delete(number);
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
      closed();
    },
    suspend(entry) {
      journal.suspend(entry);
      closed();
    },
  };
}
