import assert from 'node:assert/strict';
import type { ExecutionError, ExecutionResult, Limits } from '@toolwright/core';
import type { JournalEntry } from '@toolwright/core/internal';
import type { GuestOutcome, LanguageName, Sandbox, SandboxRunOptions } from '@toolwright/sandbox';
import type { ReceivedCall } from './tools.ts';

/** Settings that may differ between runs. */
export interface RunSettings {
  readonly limits?: Partial<Limits>;
  readonly sessionId?: string;
  readonly tenant?: string;
  readonly signal?: AbortSignal;
}

/** Settings of a program that runs without tools. */
export interface AloneSettings {
  readonly pauses?: SandboxRunOptions['pauses'];
  /** The seed of its random numbers. Default: 0. */
  readonly seed?: number;
  /** Milliseconds. Default: 30 s. */
  readonly timeoutMs?: number;
  readonly answer?: () => Promise<string>;
}

/** A finished program. */
export interface FinishedRun {
  readonly result: ExecutionResult;
  readonly elapsedMs: number;
  /** The values that the program passed to `progress`. */
  readonly progress: readonly unknown[];
}

/** The finished program of a case, and the means to run more programs on the same sandbox with the same tools. */
export interface SandboxCaseRun extends FinishedRun {
  readonly sandbox: Sandbox;
  /** Language of the case's program, and of all other programs of the case. */
  readonly language: LanguageName;
  /** The calls that the tools have received so far, from all programs. */
  readonly received: readonly ReceivedCall[];
  /** Returns the highest number of concurrent calls so far. */
  readonly mostInFlight: () => number;
  /** Runs another program. */
  execute(source: string, settings?: RunSettings): Promise<FinishedRun>;
  /** Runs a program on the sandbox alone. The host answers each request with the JSON text of `answer`; null by default. */
  runAlone(source: string, settings: AloneSettings): Promise<GuestOutcome>;
  /** Reads the journal of an execution from disk. */
  journal(id: string): JournalEntry[];
  /** Kills all guests of the sandbox from outside, without a warning; see `SandboxCaseOptions`. */
  kill(): void;
}

/** One rule that every sandbox must keep. */
export interface SandboxCase {
  readonly name: string;
  readonly area: 'api' | 'errors' | 'limits' | 'bridge' | 'isolation';
  /** The same behaviour per language. A sandbox runs the programs in its languages. */
  readonly programs: Partial<Record<LanguageName, string>>;
  readonly limits?: Partial<Limits>;
  /** Set when the case needs `SandboxCaseOptions.kill`. */
  readonly needsKill?: true;
  /** Set when the case needs threads; see `SandboxCaseOptions.threads`. */
  readonly needsThreads?: true;
  /** Raises an `AssertionError` when the run broke the rule. */
  check(run: SandboxCaseRun): void | Promise<void>;
}

type Area = SandboxCase['area'];

/** The same program per language. A plain text is TypeScript. */
export type Programs = string | SandboxCase['programs'];

export function programsOf(programs: Programs): SandboxCase['programs'] {
  return typeof programs === 'string' ? { typescript: programs } : programs;
}

/** Creates a case whose program completes with a value. */
export function completesWith(
  area: Area,
  name: string,
  programs: Programs,
  value: unknown,
  limits: Partial<Limits> = {},
): SandboxCase {
  const check = ({ result }: SandboxCaseRun) => assert.deepEqual(dataOf(result), value);
  return { area, name, programs: programsOf(programs), limits, check };
}

/** Creates a case whose program fails with an error that has these properties. A `RegExp` matches a part of a text. */
export function failsWith(
  area: Area,
  name: string,
  programs: Programs,
  expected: { readonly [Key in keyof ExecutionError]?: ExecutionError[Key] | RegExp },
  limits: Partial<Limits> = {},
): SandboxCase {
  const check = ({ result }: SandboxCaseRun) => matches(errorOf(result), expected);
  return { area, name, programs: programsOf(programs), limits, check };
}

/**
 * Returns the value of a completed execution. For any other result, raises an assertion error that shows the result.
 */
export function dataOf(result: ExecutionResult): unknown {
  assert.equal(result.status, 'completed', JSON.stringify(result).slice(0, 2_000));
  return result.status === 'completed' ? result.value : undefined;
}

/** Returns the error of a failed execution. For any other result, raises an assertion error that shows the result. */
export function errorOf(result: ExecutionResult): ExecutionError {
  if (result.status === 'failed') return result.error;
  throw new assert.AssertionError({ message: `It should have failed: ${JSON.stringify(result).slice(0, 2_000)}` });
}

/** Returns the limit that stopped an execution; undefined without one. */
export function limitOf(result: ExecutionResult): string | undefined {
  return result.status === 'stopped' ? result.limit : undefined;
}

/** Asserts that an error has these properties. */
export function matches(
  error: ExecutionError,
  expected: { readonly [Key in keyof ExecutionError]?: ExecutionError[Key] | RegExp },
): void {
  const found = new Map<string, unknown>(Object.entries(error));
  for (const [key, wanted] of Object.entries(expected)) {
    const shown = `${key} of ${JSON.stringify(error)}`;
    if (wanted instanceof RegExp) assert.match(String(found.get(key)), wanted, shown);
    else assert.deepEqual(found.get(key), wanted, shown);
  }
}
