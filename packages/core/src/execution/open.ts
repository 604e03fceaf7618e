import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { loadRules, NO_REDACTION, type ProgramValues, type Redactor } from '@toolwright/pii/internal';
import type { PreparedSource } from '@toolwright/sandbox';
import { lazy, safeListener } from '@toolwright/sandbox/internal';
import { dataFolder, journalKey } from '@toolwright/storage/internal';
import { serverFiles } from '../catalog/server-files.ts';
import { ToolwrightError } from '../errors.ts';
import type { ExecutionPart } from '../history/result.ts';
import type { Journal } from '../journal/journal.ts';
import { changedSkillsFolder, openGuestSkills } from '../skills/guest-skills.ts';
import { loadTokenizer } from '../telemetry/tokens.ts';
import { recordChanges } from '../workspaces/change-recorder.ts';
import { mountFiles } from '../workspaces/mounts.ts';
import { createEffectCheck } from './check/effect-check.ts';
import { openProgramValues } from './check/program-literals.ts';
import { openLoaders, openToolNames } from './check/tool-names.ts';
import type { Approval } from './dry-run/approval.ts';
import { openApproval, openCallRules } from './dry-run/open.ts';
import { openDryRunSession } from './dry-run/session.ts';
import type {
  Earlier,
  Execution,
  ExecutionContext,
  ExecutionSettings,
  GuestFiles,
  OpenedExecution,
  ToolNames,
} from './execution.ts';
import { createHostBridge } from './guest/guest-host.ts';
import { openProgramOrigins } from './guest/program-origins.ts';
import { createTrace } from './guest/trace.ts';
import { openKeptValues } from './kept/kept-values.ts';
import type { StoredResults } from './large-results/stored-result.ts';
import { createMedia } from './media/media.ts';
import { executionValue } from './outcome/execution-value.ts';
import { createOutputEvents, type OutputEvents } from './outcome/output-events.ts';
import { createInputSources } from './questions/input-sources.ts';
import { createSuspension, type Suspension } from './questions/suspension.ts';
import { earlierCalls, forkedCalls } from './replay/earlier-calls.ts';
import { openRecordedExecutions } from './replay/recorded-executions.ts';
import { startJournal } from './replay/start-journal.ts';

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
  const { language, onDefect } = context;
  const { limits, sessionId, createSession } = settings;
  const request = { userId: settings.userId, sessionId, createSession, isContinued: earlier !== undefined };
  const session = settings.dryRun
    ? await openDryRunSession(context.sessions, request, id, limits)
    : await context.sessions.open(request, id, limits);
  const catalog = context.catalog.forUser(session.userId);
  const redactor = context.redactorOf({ user: session.userId, session: sessionId }, session.isNew);
  loadLateParts(redactor);
  const opened = { id, source, context, catalog, settings, session, earlier, redactor };
  const values = await openProgramValues(opened);
  const events = outputEvents(redactor, settings, onDefect);
  const approval = settings.approved === undefined ? undefined : await openApproval(opened, settings.approved);
  const program = programOf(opened, approval);
  // The changes of skills before are removed: the replay makes them again.
  if (earlier) await rm(changedSkillsFolder(context.dataDir, id), { recursive: true, force: true });
  const names = openToolNames(opened);
  const guestFiles = lazy(() => openGuestFiles(opened, { names, values, warn: (text) => host.warn(text) }));
  const kept = keptValuesOf(opened, program, values);
  const origins = await openProgramOrigins(opened);
  const { journal, lease } = await startJournal(opened, program, origins);
  settings.onStart?.(id);
  const suspension = suspensionOf(opened, journal);
  const { strayed, ...rules } = openCallRules(opened, journal, approval, suspension.ask);
  const tooManyCalls = new AbortController();
  const effects = createEffectCheck();
  const host = createHostBridge({
    executionId: id,
    limits,
    beforeCall: settings.beforeCall ? () => beforeCall(lease, settings) : lease.check,
    ...listenersOf(events, settings),
    redactor,
    values,
    language: language.name,
    ...{ userId: session.userId, clientHeaders: settings.clientHeaders },
    names,
    ...{ policy: policyOf(opened), origins },
    startLogin: context.startLogin,
    onTaskWait: suspension.waitForTask,
    catalog,
    ...{ guestFiles, kept, journal },
    ...rules,
    inputs: lazy(() => inputSourcesOf(opened, suspension.signal)),
    sleep: suspension.sleep,
    earlier: settings.fork ? forkedCalls(settings.fork) : earlier && earlierCalls(earlier.recording),
    executionValue: (id, part) => earlierResult(opened, id, part),
    requireUncomputed: effects.requireUncomputed,
    onTooManyCalls: () => tooManyCalls.abort(),
    onDefect,
  });
  return {
    ...opened,
    program,
    values,
    names,
    trace: createTrace(),
    effects,
    events,
    guestFiles,
    journal,
    lease,
    host,
    origins,
    kept,
    suspension,
    tooManyCalls: tooManyCalls.signal,
    dryRun: rules.dryRun,
    strayed,
    openedAt,
  };
}

/** Loads the parts that the end of an execution needs, and the result of a tool, while the guest starts: it takes a while. */
function loadLateParts(redactor: Redactor): void {
  // Their first use reports a failure.
  loadTokenizer().catch(() => undefined);
  if (redactor !== NO_REDACTION) loadRules().catch(() => undefined);
}

function beforeCall(lease: Execution['lease'], settings: ExecutionSettings): void {
  lease.check();
  settings.beforeCall?.();
}

function listenersOf({ call, log, progress }: Execution['events'], { onProgress }: ExecutionSettings) {
  return { onCall: call, onLog: log, onProgress: progress, onToolProgress: onProgress && progress };
}

/** Opens the values that the session keeps. A dry run reads them only. */
function keptValuesOf(
  { session, context, settings, redactor }: OpenedExecution,
  program: Execution['program'],
  values: ProgramValues,
) {
  const isKept = program.keeps === true && !settings.dryRun;
  return openKeptValues({ store: session.kept, language: context.language.name, values, redactor, isKept });
}

/** Returns the answers to servers that need no person. */
function inputSourcesOf({ context, settings, session, redactor }: OpenedExecution, signal: AbortSignal) {
  const { sampling } = context;
  const canSample = settings.canSample === true;
  return createInputSources({ sampling, canSample, redactor, workspace: () => session.workspace().root, signal });
}

/** Returns a part of the result of an earlier execution of the user. */
function earlierResult({ context, session, settings }: OpenedExecution, id: string, part: ExecutionPart) {
  const { userId } = session;
  const { messageBytes: maxBytes } = settings.limits;
  const read: StoredResults['read'] = (execution) => context.sessions.result({ ...execution, userId }, maxBytes);
  const stored = { maxBytes, read };
  return executionValue(openRecordedExecutions(context), id, userId, { ...stored, part });
}

/** Creates the events of an execution, for the listeners of its caller. */
function outputEvents(
  redactor: Redactor,
  { onLog, onProgress, onCall }: ExecutionSettings,
  onDefect: ExecutionContext['onDefect'],
): OutputEvents {
  return createOutputEvents({
    redactor,
    onLog: safeListener('onLog', onLog, onDefect),
    onProgress: safeListener('onProgress', onProgress, onDefect),
    onCall: onCall && safeListener('onCall', onCall, onDefect),
  });
}

function suspensionOf(
  { id, context, settings, session, earlier, redactor }: OpenedExecution,
  journal: Journal,
): Suspension {
  const { dataDir, storage, waits, onDefect } = context;
  const { decisions, dueTimes } = storage;
  return createSuspension({
    executionId: id,
    userId: session.userId,
    journal,
    key: journalKey(dataFolder(dataDir).journalKey),
    decisions,
    lasting: context.lasting,
    redactor,
    settings: waits,
    isDryRun: settings.dryRun === true,
    recording: earlier?.recording,
    dueTimes,
    onApproval: settings.onApproval,
    onDefect,
  });
}

/** Returns the policy for the calls of an execution. The limits that its calls used before stay used. */
function policyOf({ context, session, settings, earlier }: OpenedExecution) {
  const { sessionId, fork } = settings;
  const calls = fork?.calls ?? [...(earlier?.recording.calls.values() ?? [])];
  const usedLimits = calls.flatMap(({ limit }) => (limit === undefined ? [] : [limit]));
  return context.policy.forExecution({ userId: session.userId, sessionId, usedLimits });
}

/** Returns the seed and the clock of a program. One that is continued reads the recorded times first, then the time of now. */
function programOf(
  { context, settings, earlier }: OpenedExecution,
  approval: Approval | undefined,
): Execution['program'] {
  const { program, now } = context;
  const { fork } = settings;
  const keeps = keepsValues(settings, earlier);
  if (fork) return { seed: fork.seed, epochMs: now(), clock: fork.clock, keeps };
  if (!earlier) return { ...(program ?? { seed: approval?.seed ?? randomInt(2 ** 31), epochMs: now() }), keeps };
  const { start, clock } = earlier.recording;
  return { seed: start.seed, epochMs: now(), clock, keeps };
}

/** Prepares the program for its guest runtime. Raises `SOURCE_TOO_LARGE`, `SYNTAX`, and the reason of an aborted signal. */
export async function prepareProgram(
  source: string,
  { language }: ExecutionContext,
  settings: ExecutionSettings,
  earlier?: Earlier,
): Promise<PreparedSource> {
  // A caller that has gone needs neither a check nor a sandbox.
  settings.signal?.throwIfAborted();
  const bytes = Buffer.byteLength(source);
  const limit = settings.limits.sourceBytes;
  if (bytes > limit) {
    const message = `The program has ${bytes} bytes; the limit is ${limit}. Pass data through files or tools instead of the source.`;
    throw new ToolwrightError('SOURCE_TOO_LARGE', message);
  }
  return language.prepare(source, { keeps: keepsValues(settings, earlier) });
}

/** Returns whether the session keeps values of a program. Executions of older versions did not. */
export function keepsValues({ sessionId }: ExecutionSettings, earlier: Earlier | undefined): boolean {
  return earlier ? earlier.recording.start.keeps === true : sessionId !== undefined;
}

interface Loading {
  readonly names: ToolNames;
  readonly values: ProgramValues;
  readonly warn: (text: string) => void;
}

/** Opens the files that the program sees. */
export function openGuestFiles(opened: OpenedExecution, loading: Loading): GuestFiles {
  const { id, context, catalog, settings, session, redactor } = opened;
  const changed = changedSkillsFolder(context.dataDir, id);
  const skills = openGuestSkills(context.skills(session.userId), changed, redactor.redactKnown);
  const servers = serverFiles(catalog, context.language.name);
  const recorded = recordChanges(mountFiles({ ...session.mounts(), skills: skills.files, servers }));
  const { files, changed: changedFiles, note: noteChange } = recorded;
  const media = createMedia({
    executionId: id,
    workspace: session.workspace(),
    read: (path) => files.read(path, settings.limits.callResultBytes),
  });
  return {
    files,
    changedFiles,
    noteChange,
    skills,
    media,
    ...openLoaders(opened, { ...loading, files, changedFiles, skills }),
  };
}
