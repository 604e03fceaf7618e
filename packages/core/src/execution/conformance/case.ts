import assert from 'node:assert/strict';
import type { LanguageName, Sandbox } from '@toolwright/sandbox';
import type { JournalEntry } from '../../journal/journal.ts';
import type { Limits } from '../limits.ts';
import type { ExecutionError, ExecutionResult } from '../result.ts';
import type { ReceivedCall } from './tools.ts';

/** What may differ from run to run. */
export interface RunSettings {
  readonly limits?: Partial<Limits>;
  readonly sessionId?: string;
  readonly tenant?: string;
  readonly signal?: AbortSignal;
}

/** One program that ran to its end. */
export interface FinishedRun {
  readonly result: ExecutionResult;
  readonly elapsedMs: number;
  /** What the program gave to `progress`. */
  readonly progress: readonly unknown[];
}

/** The program of a case after its run, and the means to run more on the same sandbox with the same tools. */
export interface ConformanceRun extends FinishedRun {
  readonly sandbox: Sandbox;
  /** The language of the case's program, in which the others have to be as well. */
  readonly language: LanguageName;
  /** What the tools have received so far, from all programs. */
  readonly received: readonly ReceivedCall[];
  /** Most calls that were in the tools at once. */
  readonly mostInFlight: () => number;
  /** Runs another program. */
  execute(source: string, settings?: RunSettings): Promise<FinishedRun>;
  /** Runs a program on the sandbox alone, without tools, with a given seed; resolves to the JSON text of its value. */
  replay(source: string, seed: number): Promise<string | undefined>;
  /** Reads the ledger of an execution from disk. */
  journal(id: string): JournalEntry[];
  /** Ends all guests of the sandbox from outside, without a warning; see `ConformanceOptions`. */
  kill(): void;
}

/** One behaviour that every sandbox has. */
export interface ConformanceCase {
  readonly name: string;
  readonly area: 'api' | 'errors' | 'limits' | 'bridge' | 'isolation';
  /** The same behaviour per language; a sandbox runs those whose language it claims. */
  readonly programs: Partial<Record<LanguageName, string>>;
  readonly limits?: Partial<Limits>;
  /** Set when the case runs only where `ConformanceOptions.kill` is given. */
  readonly needsKill?: true;
  /** Set when the case runs only where a program can start threads; see `ConformanceOptions.threads`. */
  readonly needsThreads?: true;
  /** Raises an `AssertionError` when the run was not as it must be. */
  check(run: ConformanceRun): void | Promise<void>;
}

type Area = ConformanceCase['area'];

/** The same program in each language that has it; a text alone is TypeScript. */
export type Programs = string | ConformanceCase['programs'];

export function programsOf(programs: Programs): ConformanceCase['programs'] {
  return typeof programs === 'string' ? { typescript: programs } : programs;
}

/** A case whose program completes with a value. */
export function gives(
  area: Area,
  name: string,
  programs: Programs,
  value: unknown,
  limits: Partial<Limits> = {},
): ConformanceCase {
  const check = ({ result }: ConformanceRun) => assert.deepEqual(dataOf(result), value);
  return { area, name, programs: programsOf(programs), limits, check };
}

/** A case whose program fails with an error that has these properties; a `RegExp` is for text that contains it. */
export function fails(
  area: Area,
  name: string,
  programs: Programs,
  expected: { readonly [Key in keyof ExecutionError]?: ExecutionError[Key] | RegExp },
  limits: Partial<Limits> = {},
): ConformanceCase {
  const check = ({ result }: ConformanceRun) => matches(errorOf(result), expected);
  return { area, name, programs: programsOf(programs), limits, check };
}

/** The value of a completed execution; anything else is an assertion error that shows it. */
export function dataOf(result: ExecutionResult): unknown {
  assert.equal(result.status, 'completed', JSON.stringify(result).slice(0, 2_000));
  return result.status === 'completed' ? result.value : undefined;
}

/** The error of a failed execution; anything else is an assertion error that shows it. */
export function errorOf(result: ExecutionResult): ExecutionError {
  if (result.status === 'failed') return result.error;
  throw new assert.AssertionError({ message: `It should have failed: ${JSON.stringify(result).slice(0, 2_000)}` });
}

/** The limit that stopped an execution; undefined when none did. */
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
