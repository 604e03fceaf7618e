import { randomInt } from 'node:crypto';
import { type BridgeHost, createBridgeHost } from './bridge/host.ts';
import { parseGuestJson } from './bridge/json.ts';
import type { LogLine } from './bridge/log.ts';
import type { GuestFailure, GuestOutcome } from './bridge/protocol.ts';
import { GUEST_RUNTIME_CODES } from './bridge/runtime-codes.ts';
import { isErrorCode, SandboxError } from './errors.ts';
import { createHostCalls, type HostFunctions } from './host-functions.ts';
import { authorFrames, stackText } from './languages/author-frames.ts';
import { LANGUAGE_NAMES, type LanguageName, type PreparedSource } from './languages/language.ts';
import { pythonLanguage } from './languages/python.ts';
import { typescriptLanguage } from './languages/typescript.ts';
import { completeLimits, type RunLimits } from './run-limits.ts';
import { openSandboxes } from './sandboxes/choose.ts';
import type { Sandbox } from './sandboxes/sandbox.ts';

export interface RunCodeOptions {
  /**
   * Functions that the program may call, by name. They run in this process. The program calls them with one object
   * (`await add({ a: 1 })`), in Python also with keywords (`await add(a=1)`). Their results cross as JSON.
   *
   * The program receives the message of an `Error` that a function throws. All other errors are defects: JavaScript's own
   * error classes such as `TypeError`, Node's system errors, and values that are no `Error`. The program receives
   * "Internal error" with an id, and `onDefect` receives the error.
   */
  readonly functions?: HostFunctions;
  /** Default `typescript`, which includes JavaScript. */
  readonly language?: LanguageName;
  /**
   * Name of a sandbox, or an open sandbox. Default `auto`, the strongest available one. `runCode` opens and closes a sandbox
   * that it gets by name. For many runs pass an open one, which keeps processes ready and stays open.
   */
  readonly sandbox?: string | Sandbox;
  /** Default 30 s, 128 MiB of memory, 32 MiB per value, 200 levels of nesting, 64 KiB of logs. */
  readonly limits?: Partial<RunLimits>;
  /** Aborting it ends the program; `runCode` then rejects with `CANCELLED`. */
  readonly signal?: AbortSignal;
  /** Receives each log line of the program when it arrives. */
  readonly onLog?: (line: LogLine) => void;
  /** Receives each defect of a host function or listener, with the id from the program's error. Default: a process warning. */
  readonly onDefect?: (id: string, error: unknown) => void;
}

/** The error that ended a program. The program may have chosen every text in it. */
export interface RunError {
  readonly name: string;
  readonly message: string;
  /** Stable code of an error of the sandbox or of a host function, or the `code` of the program's own error. */
  readonly code?: string;
  /** Position in the source as passed to `runCode`, both from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The calls in the source, innermost first, one line each. */
  readonly stack?: string;
}

/** How a run ended. `T` is the expected type of the value; it is not checked. */
export type RunEnding<T = unknown> =
  | { readonly status: 'completed'; readonly value: T; readonly error?: undefined; readonly limit?: undefined }
  | { readonly status: 'failed'; readonly error: RunError; readonly value?: undefined; readonly limit?: undefined }
  | {
      readonly status: 'stopped';
      readonly limit: 'timeout' | 'memory';
      /** The line that ran then, if the sandbox reported it. */
      readonly line?: number;
      readonly value?: undefined;
      readonly error?: undefined;
    };

/** How a run ended, and its logs. */
export type RunResult<T = unknown> = RunEnding<T> & {
  readonly logs: readonly LogLine[];
  /** Bytes of log lines that were dropped because of `limits.logBytes`. */
  readonly droppedLogBytes: number;
};

type Guest = PreparedSource['guest'];

/** Codes of errors in the text of a program. */
const SOURCE_ERRORS: ReadonlySet<string> = new Set(['SYNTAX', 'SOURCE_TOO_COMPLEX']);

/**
 * Runs a TypeScript or Python program in a sandbox that can reach nothing but the given functions.
 *
 * Returns every outcome of the program, errors and limits included. Rejects with a `SandboxError`: `CONFIG_INVALID` for an
 * invalid option, `SANDBOX_UNAVAILABLE`, `CANCELLED`, `BUSY`, `LANGUAGE_SERVICE_BUSY`, `CLOSED`, `SANDBOX_LOST`, `BRIDGE_PROTOCOL`.
 */
export async function runCode<T = unknown>(source: string, options: RunCodeOptions = {}): Promise<RunResult<T>> {
  const { functions = {}, signal, onLog, onDefect = warnOfDefect } = options;
  const limits = completeLimits(options.limits ?? {});
  const call = createHostCalls(functions, limits.messageBytes);
  const language = languageOf(options.language);
  if (typeof source !== 'string') throw new SandboxError('CONFIG_INVALID', 'The source of a program must be a string.');

  const host = createBridgeHost({ operations: { call }, limits, onLog, onDefect });
  const end = (ending: RunEnding<T>): RunResult<T> => ({
    ...ending,
    logs: host.logs,
    droppedLogBytes: host.droppedLogBytes(),
  });
  try {
    const prepared = await language.prepare(source);
    const { guest, code } = prepared;
    const program = { guest, code, seed: randomInt(2 ** 31), epochMs: Date.now(), functions: Object.keys(functions) };
    const { timeoutMs, memoryBytes, cpuPercent, messageBytes } = limits;
    const outcome = await withSandbox(options.sandbox, { guest, memoryBytes }, (sandbox) =>
      sandbox.run(program, {
        bridge: host.bridge,
        limits: { timeoutMs, memoryBytes, cpuPercent, messageBytes },
        signal,
      }),
    );
    return end(endingOf<T>(outcome, { prepared, limits, host }));
  } catch (error) {
    if (error instanceof SandboxError && SOURCE_ERRORS.has(error.code))
      return end({ status: 'failed', error: sourceError(error) });
    throw error;
  } finally {
    host.close();
  }
}

/** Runs `use` with a sandbox for the guest language. Closes the sandbox afterwards if it was opened here. */
async function withSandbox<T>(
  sandbox: string | Sandbox = 'auto',
  { guest, memoryBytes }: { readonly guest: Guest; readonly memoryBytes: number },
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandboxes = openSandboxes({ sandbox, memoryBytes });
  try {
    const chosen = await sandboxes.for(guest);
    return await use(chosen.sandbox);
  } finally {
    if (typeof sandbox === 'string') await sandboxes[Symbol.asyncDispose]();
  }
}

interface RunContext {
  readonly prepared: PreparedSource;
  readonly limits: RunLimits;
  readonly host: BridgeHost;
}

function endingOf<T>(outcome: GuestOutcome, context: RunContext): RunEnding<T> {
  if (outcome.status === 'completed') return completed(outcome.value, context.limits);
  if (outcome.status === 'failed') return { status: 'failed', error: describeFailure(outcome.error, context) };
  const line = authorFrames(outcome.stack ?? '', context.prepared)[0]?.position.line;
  return { status: 'stopped', limit: outcome.limit, line };
}

function completed<T>(text: string | undefined, { messageBytes, depth }: RunLimits): RunEnding<T> {
  if (text === undefined) return { status: 'completed', value: undefined as T };
  try {
    return { status: 'completed', value: parseGuestJson(text, { bytes: messageBytes, depth }).value as T };
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== 'ARGUMENTS_TOO_LARGE') throw error;
    return { status: 'failed', error: { name: 'Error', message: error.message, code: 'RESULT_TOO_LARGE' } };
  }
}

function describeFailure(failure: GuestFailure, { prepared, host }: RunContext): RunError {
  const frames = authorFrames(failure.stack, prepared);
  const fault = failure.request === undefined ? undefined : host.faultOf(failure.request);
  const code = fault?.code ?? ownCode(failure.code);
  return {
    name: failure.name,
    message: failure.message,
    code,
    ...frames[0]?.position,
    stack: frames.length > 0 ? stackText(frames) : undefined,
  };
}

/** Returns the code of an error that the program raised itself. It cannot use a code that only the host sets. */
function ownCode(code: string | undefined): string | undefined {
  return code !== undefined && isErrorCode(code) && !GUEST_RUNTIME_CODES.has(code) ? undefined : code;
}

function sourceError({ code, message, details }: SandboxError): RunError {
  const { line, column } = details;
  return {
    name: 'SyntaxError',
    message,
    code,
    ...(typeof line === 'number' && typeof column === 'number' ? { line, column } : {}),
  };
}

function languageOf(name: LanguageName = 'typescript') {
  if (name === 'typescript') return typescriptLanguage();
  if (name === 'python') return pythonLanguage();
  const known = LANGUAGE_NAMES.join(', ');
  throw new SandboxError('CONFIG_INVALID', `There is no language "${String(name)}". The languages are: ${known}.`);
}

function warnOfDefect(id: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`Defect [${id}] in a host function or listener of runCode: ${text}`);
}
