import { AsyncResource } from 'node:async_hooks';
import { randomInt, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Redactor } from '@toolwright/pii/internal';
import type { Checker, GuestOutcome, Language, LogLine, PreparedSource, Program, Sandbox } from '@toolwright/sandbox';
import { safeListener } from '@toolwright/sandbox/internal';
import type { Catalog } from '../catalog/catalog.ts';
import { serverFiles } from '../catalog/server-files.ts';
import { ToolwrightError } from '../errors.ts';
import { type JournalStart, openJournal } from '../journal/journal.ts';
import { sessionEntry } from '../sessions/log.ts';
import type { SessionStore } from '../sessions/sessions.ts';
import { skillOperations } from '../skills/guest-operations.ts';
import { openGuestSkills } from '../skills/guest-skills.ts';
import type { StoredSkills } from '../skills/library.ts';
import { loadTokenizer } from '../telemetry/tokens.ts';
import { recordChanges } from '../workspaces/change-recorder.ts';
import { mountFiles } from '../workspaces/mounts.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import { type CheckContext, checkBeforeRun, type PreRunCheck } from './check.ts';
import { describeError } from './failure.ts';
import { createHostBridge, type HostBridge } from './guest-host.ts';
import { instrumented } from './instrumentation.ts';
import type { Limits } from './limits.ts';
import { createModuleLoader } from './modules/loader.ts';
import { type Settled, settleOutcome } from './outcome.ts';
import { createOutputEvents } from './output-events.ts';
import { redactOutcome } from './redacted-outcome.ts';
import type { ExecutionError, ExecutionResult, ExecutionStats, StopLimit } from './result.ts';
import { tenantOf } from './tenant.ts';

/** What an execution needs of the Toolwright it belongs to. */
export interface ExecutionContext {
  readonly catalog: Catalog;
  readonly sandbox: Sandbox;
  /** Why this sandbox was taken. */
  readonly sandboxReason?: string;
  readonly language: Language;
  readonly sessions: Pick<SessionStore, 'enter'>;
  /** The guard of a session's personal data, or of a user's executions without one. */
  readonly redactorOf: (
    sessionRef: { readonly user: string; readonly session?: string | undefined },
    isNew: boolean,
  ) => Redactor;
  /** The skills of a user. */
  readonly skills: (user: string) => StoredSkills;
  /** Finds mistakes before a program runs; absent where the language has none. */
  readonly checker?: Checker | undefined;
  readonly dataDir: string;
  /** Seed and clock to run with; fresh ones by default. */
  readonly program?: Pick<Program, 'seed' | 'epochMs'>;
  /** Takes defects of ours; the caller sees their id only. */
  readonly onDefect: (id: string, error: unknown) => void;
}

/** What may be set for one execution. */
export interface ExecutionSettings {
  readonly limits: Limits;
  /** Id of the session to continue: its files and its log. */
  readonly session?: string;
  /**
   * Makes the session when there is none of that id: for ids that the embedding program chose. An id that came from
   * outside is never made a session.
   */
  readonly createSession?: boolean;
  /** Whose execution it is, `local` when nobody says otherwise: who sees its session and its skills. */
  readonly user?: string;
  /** Whose execution this is; see `SandboxRunOptions.tenant`. The user and the session, when not given. */
  readonly tenant?: string;
  /** Whether the program is checked before it runs; yes by default. */
  readonly check?: boolean;
  readonly signal?: AbortSignal;
  /** Hears the id of the execution when its ledger is there, before anything runs. */
  readonly onStart?: (id: string) => void;
  readonly onLog?: (line: LogLine) => void;
  readonly onProgress?: (value: unknown) => void;
  readonly onCall?: (call: { readonly number: number; readonly tool: string }) => void;
}

/** How a run ended, before it becomes a result. */
export type Ending =
  | { readonly outcome: GuestOutcome }
  | { readonly stopped: StopLimit }
  | { readonly error: unknown }
  /** It did not run. */
  | { readonly wrong: ExecutionError };

/** Runs a program from source text to result. Resolves for all that can go wrong in it. Raises `UNKNOWN_SESSION`. */
export async function execute(
  source: string,
  context: ExecutionContext,
  settings: ExecutionSettings,
): Promise<ExecutionResult> {
  const id = randomUUID();
  const begun = { id, language: context.language.name, sandbox: context.sandbox.name };
  return instrumented(begun, () => executeAs(id, source, context, settings));
}

async function executeAs(
  id: string,
  source: string,
  context: ExecutionContext,
  settings: ExecutionSettings,
): Promise<ExecutionResult> {
  const { catalog, sandbox, language, checker, sessions, onDefect } = context;
  const { limits, session, createSession, signal } = settings;
  const started = performance.now();
  // Loaded while the program runs.
  void loadTokenizer();
  const program = context.program ?? { seed: randomInt(2 ** 31), epochMs: Date.now() };
  const visit = await sessions.enter({ user: settings.user, session, createSession }, id, limits);
  const { workspace, mounts, user, record } = visit;
  const redactor = context.redactorOf({ user, session }, visit.isNew);
  const outputEvents = createOutputEvents({
    redactor,
    onLog: safeListener('onLog', settings.onLog, onDefect),
    onProgress: safeListener('onProgress', settings.onProgress, onDefect),
    onCall: safeListener('onCall', settings.onCall, onDefect),
  });
  const skillsFolder = join(context.dataDir, 'executions', `${id}.skills`);
  const skills = openGuestSkills(context.skills(user), skillsFolder, redactor.redactKnown);
  const { files, changed } = recordChanges(
    mountFiles({ ...mounts, skills: skills.files, servers: serverFiles(catalog, language.name) }),
  );
  const tooManyCalls = new AbortController();
  const start: JournalStart = {
    id,
    user,
    ...(session === undefined ? {} : { session }),
    language: language.name,
    sandbox: sandbox.name,
    host: { name: hostname(), pid: process.pid },
    source: source.slice(0, limits.sourceBytes),
    catalogHash: catalog.hash(),
    ...program,
  };
  const journal = openJournal(join(context.dataDir, 'executions'), start, limits.journalBytes);
  settings.onStart?.(id);
  const host = createHostBridge({
    limits,
    onCall: outputEvents.call,
    onLog: outputEvents.log,
    onProgress: outputEvents.progress,
    redactor,
    language: language.name,
    catalog,
    files,
    skills: skillOperations(skills, language),
    journal,
    loadModule: createModuleLoader(catalog, files, language, limits.sourceBytes),
    onTooManyCalls: () => tooManyCalls.abort(),
    onDefect,
  });

  let prepared: PreparedSource | undefined;
  let checked: PreRunCheck = { outcome: 'skipped: the program cannot be prepared' };
  let prepareEnded = started;
  let runStarted = started;
  const run = async (): Promise<Ending> => {
    try {
      // Who has gone already wants no check and no sandbox.
      signal?.throwIfAborted();
      checkSize(source, limits.sourceBytes);
      prepared = await language.prepare(source);
      prepareEnded = performance.now();
      runStarted = prepareEnded;
      const { sourceBytes: maxFileBytes } = limits;
      const context: CheckContext = {
        checker: settings.check === false ? 'off' : checker,
        catalog,
        language,
        files,
        maxFileBytes,
        signal,
      };
      checked = await checkBeforeRun(prepared.source, context);
      runStarted = performance.now();
      if (checked.error) return { wrong: checked.error };
      signal?.throwIfAborted();
      const outcome = await sandbox.run(
        { guest: prepared.guest, code: prepared.code, ...program },
        {
          // Requests come from a process that was there before: what they do belongs to this execution, in logs and traces.
          bridge: { ...host.bridge, request: AsyncResource.bind(host.bridge.request) },
          limits,
          tenant: settings.tenant ?? tenantOf(user, session),
          signal: signal ? AbortSignal.any([signal, tooManyCalls.signal]) : tooManyCalls.signal,
        },
      );
      return { outcome };
    } catch (error) {
      if (tooManyCalls.signal.aborted) return { stopped: 'toolCalls' };
      return signal?.aborted ? { stopped: 'cancelled' } : { error };
    }
  };

  const ending = await run();
  const runEnded = performance.now();
  host.close();
  const raw: Settled = await settleOutcome(ending, {
    id,
    prepared,
    source,
    limits,
    workspace,
    catalog,
    host,
    redactor,
    onDefect,
  }).catch((error: unknown) => ({
    status: 'failed' as const,
    error: describeError(error, onDefect),
  }));
  for (const warning of await skills.end(raw.status === 'completed')) host.warn(warning);
  const { settled, logs, calls, code, paths } = await redactOutcome(
    { raw, source, calls: host.calls(), paths: changed() },
    redactor,
    outputEvents,
    onDefect,
  );
  await removeFiles(workspace, session, settled);
  const stats = await measure(source, settled, logs, host, {
    sandbox: sandbox.name,
    sandboxReason: context.sandboxReason ?? 'given by the caller',
    check: checked.outcome,
    prepareMs: prepareEnded - started,
    checkMs: runStarted - prepareEnded,
    runMs: runEnded - runStarted,
    totalMs: performance.now() - started,
  });
  journal.close(settled.status);
  const finished = { id, language: language.name, source: code, settled, calls, files: paths };
  // What ran has run: a log that cannot be written to does not change how it ended.
  await record(sessionEntry({ ...finished, ms: stats.totalMs })).catch((error: unknown) => onDefect(id, error));
  return { id, ...settled, logs, calls, stats };
}

function checkSize(source: string, limit: number): void {
  const bytes = Buffer.byteLength(source);
  if (bytes <= limit) return;
  const message = `The program has ${bytes} bytes, the limit is ${limit}. Pass data through files or tools instead of the source.`;
  throw new ToolwrightError('SOURCE_TOO_LARGE', message);
}

/** Files of an execution without a session go with it, unless its result lies there. */
async function removeFiles(workspace: Workspace, session: string | undefined, settled: object): Promise<void> {
  if (session === undefined && !('file' in settled)) await workspace.destroy().catch(() => undefined);
}

async function measure(
  source: string,
  settled: object,
  logs: readonly LogLine[],
  host: HostBridge,
  times: Pick<ExecutionStats, 'sandbox' | 'sandboxReason' | 'check' | 'prepareMs' | 'checkMs' | 'runMs' | 'totalMs'>,
): Promise<ExecutionStats> {
  const calls = host.calls();
  const sum = (pick: (call: (typeof calls)[number]) => number) => calls.reduce((total, call) => total + pick(call), 0);
  const countTokens = await loadTokenizer();
  const value = 'value' in settled ? (JSON.stringify(settled.value) ?? '') : JSON.stringify(settled);
  const round = (milliseconds: number) => Math.round(milliseconds * 1_000) / 1_000;
  return {
    sandbox: times.sandbox,
    sandboxReason: times.sandboxReason,
    check: times.check,
    prepareMs: round(times.prepareMs),
    checkMs: round(times.checkMs),
    runMs: round(times.runMs),
    totalMs: round(times.totalMs),
    toolCalls: calls.length,
    toolErrors: calls.filter(({ status }) => status === 'failed').length,
    argumentBytes: sum(({ argumentBytes }) => argumentBytes),
    toolResultBytes: sum(({ resultBytes }) => resultBytes),
    resultBytes: Buffer.byteLength(value),
    droppedLogBytes: host.droppedLogBytes(),
    tokens: {
      code: countTokens(source),
      output: countTokens([value, ...logs.map(({ text }) => text)].join('\n')),
    },
  };
}
