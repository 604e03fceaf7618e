import { randomInt, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createHostBridge, type HostBridge } from '../bridge/host.ts';
import { createModuleLoader } from '../bridge/modules.ts';
import type { GuestOutcome } from '../bridge/protocol.ts';
import type { LogLine } from '../bridge/record.ts';
import { ToolwrightError } from '../errors.ts';
import type { Language, PreparedSource } from '../languages/language.ts';
import type { Sandbox } from '../sandboxes/sandbox.ts';
import type { Catalog } from '../tools/catalog.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import { describeError } from './failure.ts';
import { openLedger } from './ledger.ts';
import type { Limits } from './limits.ts';
import { settleOutcome } from './outcome.ts';
import type { ExecutionResult, ExecutionStats, StopLimit } from './result.ts';
import type { Sessions } from './session.ts';
import { loadTokenizer } from './tokens.ts';

/** What an execution needs of the Toolwright it belongs to. */
export interface ExecutionContext {
  readonly catalog: Catalog;
  readonly sandbox: Sandbox;
  /** Why this sandbox was taken. */
  readonly sandboxReason?: string;
  readonly language: Language;
  readonly sessions: Sessions;
  readonly dataDir: string;
  /** Takes defects of ours; the caller sees their id only. */
  readonly onDefect: (id: string, error: unknown) => void;
}

/** What may be set for one execution. */
export interface ExecutionSettings {
  readonly limits: Limits;
  readonly session?: string;
  /** Whose execution this is; see `SandboxRunOptions.tenant`. The session, when not given. */
  readonly tenant?: string;
  readonly signal?: AbortSignal;
  readonly onLog?: (line: LogLine) => void;
  readonly onProgress?: (value: unknown) => void;
  readonly onCall?: (call: { readonly number: number; readonly tool: string }) => void;
}

/** How a run ended, before it becomes a result. */
export type Ending = { readonly outcome: GuestOutcome } | { readonly stopped: StopLimit } | { readonly error: unknown };

/** Runs a program from source text to result. Resolves for all that can go wrong in it. */
export async function execute(
  source: string,
  context: ExecutionContext,
  settings: ExecutionSettings,
): Promise<ExecutionResult> {
  const { catalog, sandbox, language, sessions, onDefect } = context;
  const { limits, session, signal } = settings;
  const id = randomUUID();
  const started = performance.now();
  const program = { seed: randomInt(2 ** 31), epochMs: Date.now() };
  const workspace = sessions.workspace(session, id, limits);
  const tooManyCalls = new AbortController();
  const ledger = openLedger(join(context.dataDir, 'executions'), {
    id,
    ...(session === undefined ? {} : { session }),
    language: language.name,
    sandbox: sandbox.name,
    source: source.slice(0, limits.sourceBytes),
    catalogHash: catalog.hash(),
    ...program,
  });
  const host = createHostBridge({
    ...settings,
    language: language.name,
    catalog,
    workspace,
    journal: ledger,
    loadModule: createModuleLoader(catalog, workspace, language, limits.sourceBytes),
    onTooManyCalls: () => tooManyCalls.abort(),
    onDefect,
  });

  let prepared: PreparedSource | undefined;
  let runStarted = started;
  const run = async (): Promise<Ending> => {
    try {
      checkSize(source, limits.sourceBytes);
      prepared = await language.prepare(source);
      runStarted = performance.now();
      const outcome = await sandbox.run(
        { guest: prepared.guest, code: prepared.code, ...program },
        {
          bridge: host.bridge,
          limits,
          tenant: settings.tenant ?? session ?? '',
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
  const settled = await settleOutcome(ending, {
    id,
    prepared,
    source,
    limits,
    workspace,
    catalog,
    host,
    onDefect,
  }).catch((error: unknown) => ({
    status: 'failed' as const,
    error: describeError(error, onDefect),
  }));
  await removeFiles(workspace, session, settled);
  const stats = await measure(source, settled, host, {
    sandbox: sandbox.name,
    sandboxReason: context.sandboxReason ?? 'given by the caller',
    prepareMs: runStarted - started,
    runMs: runEnded - runStarted,
    totalMs: performance.now() - started,
  });
  ledger.close(settled.status);
  return { id, ...settled, logs: host.logs, calls: host.calls(), stats };
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
  host: HostBridge,
  times: Pick<ExecutionStats, 'sandbox' | 'sandboxReason' | 'prepareMs' | 'runMs' | 'totalMs'>,
): Promise<ExecutionStats> {
  const calls = host.calls();
  const sum = (pick: (call: (typeof calls)[number]) => number) => calls.reduce((total, call) => total + pick(call), 0);
  const countTokens = await loadTokenizer();
  const value = 'value' in settled ? (JSON.stringify(settled.value) ?? '') : JSON.stringify(settled);
  const round = (milliseconds: number) => Math.round(milliseconds * 1_000) / 1_000;
  return {
    sandbox: times.sandbox,
    sandboxReason: times.sandboxReason,
    prepareMs: round(times.prepareMs),
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
      output: countTokens([value, ...host.logs.map(({ text }) => text)].join('\n')),
    },
  };
}
