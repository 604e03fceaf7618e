import { randomInt } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { safeListener } from '@toolwright/sandbox/internal';
import { serverFiles } from '../catalog/server-files.ts';
import { dataFolder } from '../journal/data-folder.ts';
import { addToHistory, endStatus } from '../journal/history.ts';
import { journalKey } from '../journal/integrity.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { ProcessLease } from '../journal/leases/process-lease.ts';
import { skillOperations } from '../skills/guest-operations.ts';
import { openGuestSkills } from '../skills/guest-skills.ts';
import { loadTokenizer } from '../telemetry/tokens.ts';
import { recordChanges } from '../workspaces/change-recorder.ts';
import { mountFiles } from '../workspaces/mounts.ts';
import type { Execution, ExecutionContext, ExecutionSettings } from './execution.ts';
import { createHostBridge } from './guest-host.ts';
import { createModuleLoader } from './modules/loader.ts';
import { createOutputEvents } from './output-events.ts';

/**
 * Opens an execution: its session, redactor, files, journal and the host's side of the bridge. Raises `UNKNOWN_SESSION`, and
 * `CONFIG_INVALID` when the data folder cannot be written to.
 */
export async function openExecution(
  id: string,
  source: string,
  context: ExecutionContext,
  settings: ExecutionSettings,
): Promise<Execution> {
  const openedAt = performance.now();
  // Loading takes a while, and the end of the execution needs it.
  void loadTokenizer();
  const { language, dataDir, onDefect } = context;
  const { limits, sessionId, createSession } = settings;
  const program = context.program ?? { seed: randomInt(2 ** 31), epochMs: Date.now() };
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
  const skills = openGuestSkills(context.skills(session.userId), skillsFolder, redactor.redactKnown);
  const { files, changed } = recordChanges(
    mountFiles({ ...session.mounts, skills: skills.files, servers: serverFiles(catalog, language.name) }),
  );
  const opened = { id, source, context, catalog, settings, program, session };
  const lease = context.owner.lease();
  const journal = startJournal(opened, lease);
  settings.onStart?.(id);
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
    policy: context.policy.forExecution({ userId: session.userId, sessionId }),
    catalog,
    files,
    skills: skillOperations(skills, language),
    journal,
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
    journal,
    lease,
    host,
    tooManyCalls: tooManyCalls.signal,
    openedAt,
  };
}

function startJournal(
  {
    id,
    source,
    context,
    settings,
    program,
    session,
  }: Pick<Execution, 'id' | 'source' | 'context' | 'settings' | 'program' | 'session'>,
  lease: ProcessLease,
): Journal {
  const { limits, sessionId } = settings;
  const start = {
    id,
    user: session.userId,
    ...(sessionId === undefined ? {} : { session: sessionId }),
    language: context.language.name,
    sandbox: context.sandbox.name,
    host: { name: hostname(), pid: process.pid },
    owner: lease.id,
    timeoutMs: limits.timeoutMs,
    source: source.slice(0, limits.sourceBytes),
    catalogHash: context.catalog.hash(),
    ...program,
  };
  const { executions, history, journalKey: keyFile } = dataFolder(context.dataDir);
  const setStatus = addToHistory(history(session.userId), { id, session: sessionId });
  const journal = openJournal(executions, start, {
    maxBytes: limits.journalBytes,
    key: journalKey(keyFile),
    checkOwner: lease.check,
  });
  return {
    ...journal,
    close(status, more) {
      journal.close(status, more);
      setStatus(endStatus(status, more?.limit));
    },
  };
}
