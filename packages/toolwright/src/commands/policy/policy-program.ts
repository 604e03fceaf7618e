import type { Toolwright } from '@toolwright/core';
import type { Output } from '@toolwright/core/command';
import type { LanguageName } from '@toolwright/sandbox';
import { exitCodeOf } from '../command.ts';
import { plannedLines, plannedSummary } from '../run/planned-calls.ts';

/** The options of the tested program. */
export interface PolicyProgram {
  readonly language?: LanguageName | undefined;
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly request?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly json: boolean;
}

/** Makes a dry run of a program, and shows how the policy decides each call. Returns the exit code. */
export async function testProgramPolicy(
  toolwright: Toolwright,
  source: string,
  { json, ...options }: PolicyProgram,
  { out, err }: Output,
): Promise<number> {
  const result = await toolwright.execute(source, { ...options, createSession: true, dryRun: true });
  const { executionId, status, dryRun: { calls } = { calls: [] } } = result;
  const error = result.status === 'failed' ? { error: result.error } : {};
  if (json) out(JSON.stringify({ executionId, status, ...error, calls }));
  else {
    for (const line of plannedLines(calls)) out(line);
    err(plannedSummary(calls));
    if (result.status === 'failed') err(`The program failed: ${result.error.name}: ${result.error.message}`);
    if (result.status === 'stopped') err(`The program was stopped (${result.limit}): ${result.message}`);
  }
  return exitCodeOf(result);
}
