import { AssertionError } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Language, pythonLanguage, type Sandbox, typescriptLanguage } from '@toolwright/sandbox';
import { messageOf } from '@toolwright/sandbox/internal';
import type { SandboxCase } from './sandbox/case.ts';
import { CONSOLE_CASES } from './sandbox/console.ts';
import { ERROR_CASES } from './sandbox/errors.ts';
import { FILE_CASES } from './sandbox/files.ts';
import { openFixture } from './sandbox/fixture.ts';
import { ISOLATION_CASES } from './sandbox/isolation.ts';
import { LANGUAGE_CASES } from './sandbox/language.ts';
import { LIMIT_CASES } from './sandbox/limits.ts';
import { PYTHON_CASES } from './sandbox/python.ts';
import { SIZE_CASES } from './sandbox/sizes.ts';
import { TOOL_CALL_CASES } from './sandbox/tool-calls.ts';
import { TOOL_NAME_CASES } from './sandbox/tool-names.ts';
import { VALUE_CASES } from './sandbox/values.ts';

export type { FinishedRun, RunSettings, SandboxCase, SandboxCaseRun } from './sandbox/case.ts';
export type { ReceivedCall } from './sandbox/tools.ts';

/** The properties of the sandbox, and the parts of the suite to run. */
export interface SandboxCaseOptions {
  /** Kills all guests of the sandbox from outside, like a crash. Without it, the cases that need it are skipped. */
  readonly kill?: () => void;
  /** False when a program cannot start threads. Cases that need threads are then skipped. */
  readonly threads?: boolean;
  /** Areas of the suite to run. Default: all. */
  readonly areas?: readonly string[];
  /** Whether each execution is replayed from its journal and compared, which runs it twice. Default: true. */
  readonly isReplayed?: boolean;
}

/** The rules that every sandbox must keep. */
export const sandboxCases: readonly SandboxCase[] = [
  ...LANGUAGE_CASES,
  ...TOOL_CALL_CASES,
  ...TOOL_NAME_CASES,
  ...FILE_CASES,
  ...CONSOLE_CASES,
  ...ERROR_CASES,
  ...LIMIT_CASES,
  ...SIZE_CASES,
  ...VALUE_CASES,
  ...ISOLATION_CASES,
  ...PYTHON_CASES,
];

/** A sandbox, for the choice of its cases. */
interface SandboxLanguages {
  readonly languages: Sandbox['languages'];
}

/** Returns the cases for a sandbox: those with a program in one of its languages. */
export function sandboxCasesFor(sandbox: SandboxLanguages, options: SandboxCaseOptions = {}): readonly SandboxCase[] {
  return sandboxCases.filter(
    (testCase) =>
      languagesOf(sandbox, testCase).length > 0 &&
      (options.areas?.includes(testCase.area) ?? true) &&
      (!testCase.needsKill || options.kill !== undefined) &&
      (!testCase.needsThreads || options.threads !== false),
  );
}

/**
 * Runs one case on a sandbox, in every language that both have: with fresh tools and a fresh data folder, through the
 * real execution. Rejects with an `AssertionError` whose message begins with the area and the name of the broken rule.
 */
export async function runSandboxCase(
  sandbox: Sandbox,
  testCase: SandboxCase,
  options: SandboxCaseOptions = {},
): Promise<void> {
  for (const language of languagesOf(sandbox, testCase)) {
    const dataDir = await mkdtemp(join(tmpdir(), 'toolwright-conformance-'));
    try {
      await using fixture = openFixture({ sandbox, language, dataDir, limits: testCase.limits ?? {}, ...options });
      const finished = await fixture.execute(testCase.programs[language.name] ?? '');
      await testCase.check({ ...fixture, ...finished });
    } catch (error) {
      throw violation(testCase, language, error);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }
}

function violation({ area, name }: SandboxCase, language: Language, cause: unknown): AssertionError {
  const { actual, expected, operator }: { actual?: unknown; expected?: unknown; operator?: string } = Object(cause);
  const message = `${area}: ${name} (${language.name}): ${messageOf(cause)}`;
  const details = cause instanceof AssertionError ? { actual, expected, operator: operator ?? '' } : {};
  return Object.assign(new AssertionError({ message, ...details }), { cause });
}

const LANGUAGES: readonly { readonly guest: Sandbox['languages'][number]; readonly language: Language }[] = [
  { guest: 'javascript', language: typescriptLanguage() },
  { guest: 'python', language: pythonLanguage() },
];

function languagesOf(sandbox: SandboxLanguages, { programs }: SandboxCase): Language[] {
  return LANGUAGES.filter(({ guest }) => sandbox.languages.includes(guest))
    .map(({ language }) => language)
    .filter(({ name }) => programs[name] !== undefined);
}
