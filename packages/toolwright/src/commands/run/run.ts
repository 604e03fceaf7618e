import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { ExecuteOptions, ExecutionResult, Toolwright } from '@toolwright/core';
import type { Output } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import type { LogLine } from '@toolwright/sandbox';
import { exitCodeOf } from '../command.ts';
import { type ApprovalAnnouncer, type ApprovalPrompt, approvalAnnouncer, approvalPrompt } from './approval-prompt.ts';
import { printResult } from './print-result.ts';
import type { ProgramSource } from './read-program.ts';

export interface RunArguments extends ProgramSource {
  readonly json: boolean;
  /** Whether the person at the terminal decides about calls. Default: yes. */
  readonly asks?: boolean;
  /** Options of the commands that the output names, such as ` --config FILE`. */
  readonly more?: string;
  readonly execution: ExecuteOptions;
}

const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{1,23}_\d{1,9}\]/g;

/** Runs a program, prints its result, and returns the exit code. */
export async function run(toolwright: Toolwright, source: string, args: RunArguments, output: Output): Promise<number> {
  const { name, warning } = await toolwright.sandbox(args.execution.language);
  if (warning !== undefined) output.err(`warning: sandbox ${name}: ${warning}`);
  // It prints questions where nobody can answer them.
  const announcer = approvalAnnouncer(args.json ? () => undefined : output.err, args.more);
  const result = await executeHere(toolwright, source, { ...args, announcer }, output);
  if (args.json) output.out(JSON.stringify(result));
  else {
    const shown = await forReader(toolwright, result, args.execution, output);
    printResult(shown, output, { more: args.more, announced: announcer.announced });
  }
  return exitCodeOf(result);
}

/** Returns a result with values in place of placeholders where a person reads it: at a terminal. Names those that stay. */
async function forReader(
  toolwright: Toolwright,
  result: ExecutionResult,
  { userId, sessionId }: ExecuteOptions,
  { isTerminal, err }: Output,
): Promise<ExecutionResult> {
  if (!isTerminal) return result;
  try {
    const shown = await toolwright.pii.show(result, { userId, sessionId });
    if (JSON.stringify(shown) === JSON.stringify(result)) return result;
    err('note: personal data is shown, because this is a terminal. A pipe, a file and --json get placeholders.');
    const kept = new Set(JSON.stringify(shown).match(PLACEHOLDER));
    if (kept.size > 0)
      err(`note: ${[...kept].join(', ')} stay: they are unknown, or need a rule in pii.policy for "user".`);
    return shown;
  } catch (error) {
    err(`note: placeholders are shown, because values cannot be: ${messageOf(error)}`);
    return result;
  }
}

/**
 * Executes a program. Waits for its long sleeps here, as for short ones, if they end within the time limit. Waits for the person at
 * the terminal too, who decides about its calls.
 */
async function executeHere(
  toolwright: Toolwright,
  source: string,
  { json, asks = true, execution, announcer }: RunArguments & { readonly announcer: ApprovalAnnouncer },
  { err, isTerminal }: Output,
): Promise<ExecutionResult> {
  const { userId, sessionId, signal, limits } = execution;
  const timeoutMs = limits?.timeoutMs ?? toolwright.limits.timeoutMs;
  let printed = 0;
  /** The lines before this one are printed. A person at a terminal reads their values. */
  let before = Promise.resolve();
  const print = (text: string) => {
    if (!isTerminal) return err(text);
    const shown = toolwright.pii.show(text, { userId, sessionId }).catch(() => text);
    before = before.then(async () => err(await shown));
  };
  /** A continued execution reports its log lines from the start. */
  const printer = () => {
    let line = 0;
    const onLog = ({ level, text }: LogLine) => {
      if (++line <= printed) return;
      printed = line;
      print(level === 'info' ? text : `${level}: ${text}`);
    };
    return json ? {} : { onLog };
  };
  const endsBy = Date.now() + timeoutMs;
  const terminal = { input: process.stdin, output: process.stderr, signal };
  const atTerminal = json || !asks ? undefined : approvalPrompt(terminal);
  const prompt = atTerminal ?? announcer;
  const listeners = () => ({ ...printer(), onApproval: prompt.onApproval });
  let result = await toolwright.execute(source, { ...execution, ...listeners() });
  while (result.status === 'suspended' && (await goesOnHere(result, { prompt, endsBy, signal }))) {
    result = await toolwright.executions.resume(result.executionId, {
      userId,
      signal,
      ...listeners(),
    });
  }
  await before;
  return result;
}

interface WaitingHere {
  readonly prompt: ApprovalPrompt;
  /** Milliseconds since the epoch. */
  readonly endsBy: number;
  readonly signal: AbortSignal | undefined;
}

/** Waits for a suspended execution. Returns whether it can go on now. */
async function goesOnHere(
  { pending, wakeAt }: Extract<ExecutionResult, { status: 'suspended' }>,
  { prompt, endsBy, signal }: WaitingHere,
): Promise<boolean> {
  if (pending.some(({ kind }) => kind !== 'approval')) return false;
  if (pending.length > 0) {
    const areDecided = await prompt.ended();
    // The last decision is stored in the turn after its answer.
    await nextTurn();
    return areDecided && !signal?.aborted;
  }
  if (Date.parse(wakeAt) > endsBy) return false;
  await sleep(Math.max(0, Date.parse(wakeAt) - Date.now()), undefined, { signal });
  return true;
}
