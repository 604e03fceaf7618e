import { randomUUID } from 'node:crypto';
import { brokenRule } from '../../packages/conformance/src/broken-rule.ts';
import type { ExecutionStorageCase, ExecutionStorageRun } from './execution-storages/case.ts';
import { journalCases } from './execution-storages/journals.ts';
import { otherStateCases } from './execution-storages/other-state.ts';

/** Runs one case. Rejects with an `AssertionError` that names the rule when the storage breaks it. */
export async function runExecutionStorageCase(
  run: Omit<ExecutionStorageRun, 'user'>,
  testCase: ExecutionStorageCase,
): Promise<void> {
  try {
    await testCase.run({ ...run, user: `user ${randomUUID()} ☃ \u0000 "\\` });
  } catch (error) {
    throw brokenRule('storage of executions', testCase.name, error);
  } finally {
    await run.one[Symbol.asyncDispose]();
    await run.other[Symbol.asyncDispose]();
  }
}

/** The rules that every storage of executions must keep, in the order in which they run. */
export const executionStorageCases: readonly ExecutionStorageCase[] = [...journalCases, ...otherStateCases];
