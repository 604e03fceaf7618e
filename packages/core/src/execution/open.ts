import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { safeListener } from '@toolwright/sandbox/internal';
import { serverFiles } from '../catalog/server-files.ts';
import { dataFolder } from '../journal/data-folder.ts';
import { addToHistory, continueInHistory, endStatus, type HistoryStatus } from '../journal/history.ts';
import { journalKey } from '../journal/integrity.ts';
import { continueJournal, type Journal, openJournal } from '../journal/journal.ts';
import type { ProcessLease } from '../journal/leases/process-lease.ts';
import { skillOperations } from '../skills/guest-operations.ts';
import { openGuestSkills } from '../skills/guest-skills.ts';
import { loadTokenizer } from '../telemetry/tokens.ts';
import { recordChanges } from '../workspaces/change-recorder.ts';
import { mountFiles } from '../workspaces/mounts.ts';
import { earlierCalls } from './earlier-calls.ts';
import type { Earlier, Execution, ExecutionContext, ExecutionSettings } from './execution.ts';
import { createHostBridge } from './guest-host.ts';
import { changedLimits } from './limits.ts';
import { createModuleLoader } from './modules/loader.ts';
import { createOutputEvents } from './output-events.ts';
import { createSuspension } from './suspension.ts';

/**
 * Opens an execution: its session, redactor, files, journal and the host's side of the bridge. Raises `UNKNOWN_SESSION`, and
 * `CONFIG_INVALID` when the data folder cannot be written to.
 */
export async function openExecution(
  id: string,
  source: string,
  context: ExecutionContext,
  settings: ExecutionSettings,
  earlier?: Earlier,
): Promise<Execution> {
  const openedAt = performance.now();
  // Loading takes a while, and the end of the execution needs it.
  void loadTokenizer();
  const { language, dataDir, onDefect } = context;
  const { limits, sessionId, createSession } = settings;
  const program = programOf(context, earlier);
  const session = await context.sessions.open({ userId: settings.userId, sessionId, createSession }, id, limits);
  const catalog = context.catalog.forUser(session.userId);
  const redactor = context.redactorOf({ user: session.userId, session: sessionId }, session.isNew);
  const events = createOutputEvents({
    redactor,
    onLog: safeListener('onLog', settings.onLog, onDefect),
    onProgress: safeListener('onProgress', settings.onProgress, onDefect),
    onCall: safeListener('onCall', settings.onCall, onDefect),
  });
  const skillsFolder = join(dataDir, 'executions', `${id}.skills`);
  // The changes of the past are made again.
  if (earlier) await rm(skillsFolder, { recursive: true, force: true });
  const skills = openGuestSkills(context.skills(session.userId), skillsFolder, redactor.redactKnown);
  const { files, changed, note } = recordChanges(
    mountFiles({ ...session.mounts, skills: skills.files, servers: serverFiles(catalog, language.name) }),
  );
  const opened = { id, source, context, catalog, settings, program, session, earlier };
  const lease = earlier?.claim.lease ?? context.owner.lease();
  const journal = startJournal(opened, lease);
  settings.onStart?.(id);
  const suspension = createSuspension({
    executionId: id,
    userId: session.userId,
    journal,
    key: journalKey(dataFolder(dataDir).journalKey),
    decisions: context.decisions,
    redactor,
    settings: context.waits,
    recording: earlier?.recording,
    now: context.now,
    onQuestion: safeListener('onQuestion', settings.onQuestion, onDefect),
    onDefect,
  });
  const tooManyCalls = new AbortController();
  const host = createHostBridge({
    limits,
    onCall: events.call,
    beforeCall() {
      lease.check();
      settings.beforeCall?.();
    },
    onLog: events.log,
    onProgress: events.progress,
    redactor,
    language: language.name,
    userId: session.userId,
    policy: context.policy.forExecution({
      userId: session.userId,
      sessionId,
      usedLimits: usedLimits(earlier),
    }),
    catalog,
    files,
    skills: skillOperations(skills, language),
    journal,
    ask: suspension.ask,
    sleep: suspension.sleep,
    earlier: earlier && earlierCalls(earlier.recording),
    loadModule: createModuleLoader(catalog, files, language, limits.sourceBytes),
    onTooManyCalls: () => tooManyCalls.abort(),
    onDefect,
  });
  return {
    ...opened,
    redactor,
    events,
    skills,
    files,
    changedFiles: changed,
    noteChange: note,
    journal,
    lease,
    host,
    suspension,
    tooManyCalls: tooManyCalls.signal,
    openedAt,
  };
}

/** Returns the limits of the policy that the calls before used. */
function usedLimits(earlier: Earlier | undefined): string[] {
  const calls = [...(earlier?.recording.calls.values() ?? [])];
  return calls.flatMap(({ limit }) => (limit === undefined ? [] : [limit]));
}

/** Returns the seed and the clock of a program. One that is continued reads the recorded times first, then the time of now. */
function programOf({ program, now }: ExecutionContext, earlier: Earlier | undefined): Execution['program'] {
  if (!earlier) return program ?? { seed: randomInt(2 ** 31), epochMs: now() };
  const { start, clock } = earlier.recording;
  return { seed: start.seed, epochMs: now(), clock };
}

function startJournal(
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
