import { userInfo } from 'node:os';
import type { LastingArguments, Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { ToolwrightError } from '@toolwright/core/errors';
import { jsonOf } from '../command.ts';
import { approvedCommand, nextCommand } from '../run/print-result.ts';
import { asLine } from '../terminal.ts';
import type { ExecutionsArguments } from './arguments.ts';
import { resume } from './resume.ts';

/** The decision of each action, for a person. */
const DECIDED: Readonly<Record<string, string>> = {
  approve: 'Approved',
  deny: 'Denied',
  outcome: 'Settled',
  answer: 'Answered',
};

/** Decides about open questions, and reports the calls. An approval continues the execution when no question is left. */
export async function decide(
  toolwright: Toolwright,
  id: string,
  args: ExecutionsArguments,
  output: Output,
): Promise<number> {
  const [action = ''] = args.words;
  const { userId, call, next, always, expires, note, by = systemUser(), more } = args;
  const decision = action === 'answer' ? await answerOf(toolwright, id, args) : decisionOf(action, args);
  const asked = args.json ? [] : await toolwright.executions.questions(id, userId);
  const decided = await toolwright.executions.decide(id, {
    calls: call === undefined ? undefined : [call],
    ...decision,
    userId,
    by,
    note,
    covers: next === undefined ? undefined : { next },
    always: always === undefined ? undefined : { arguments: lastingArguments(always), expiresAt: expires },
  });
  const { status, isDryRun } = await toolwright.executions.get(id, userId);
  if (args.json) {
    output.out(JSON.stringify({ executionId: id, decided, status }));
    return EXIT.completed;
  }
  const named = asked.filter((question) => decided.includes(question.call));
  for (const { call: number, tool, arguments: given } of named)
    output.out(`${DECIDED[action]} call ${number}: ${asLine(`${tool} ${JSON.stringify(given)}`)}`);
  if (named.length === 0) output.out(`${DECIDED[action]} ${decided.length === 0 ? 'no calls' : callsText(decided)}.`);
  if (isDryRun) {
    if (action === 'approve') output.err(approvedCommand(id));
    return EXIT.completed;
  }
  if (status === 'running') {
    output.err('The process that runs it continues it.');
    return EXIT.completed;
  }
  const open = await toolwright.executions.questions(id, userId);
  if (open.length > 0) output.err(`Other calls wait. Decide with: ${nextCommand(id, open, more)}`);
  else if (action === 'approve' && args.resumes) return continued(toolwright, id, args, output);
  else output.err(`Continue it with: toolwright executions resume ${id}${more}`);
  return EXIT.completed;
}

function callsText(calls: readonly number[]): string {
  return `${calls.length === 1 ? 'call' : 'calls'} ${calls.join(', ')}`;
}

/** Continues an execution, unless a server that saw the decision was faster. */
async function continued(toolwright: Toolwright, id: string, args: ExecutionsArguments, output: Output) {
  try {
    return await resume(toolwright, id, args, output);
  } catch (error) {
    const isElsewhere = error instanceof ToolwrightError && ELSEWHERE.has(error.code);
    if (!isElsewhere) throw error;
    output.err('Another process continues it.');
    return EXIT.completed;
  }
}

const ELSEWHERE: ReadonlySet<string> = new Set(['EXECUTION_RUNNING', 'EXECUTION_ENDED']);

/** Returns the arguments of a lasting approval: a word, or the JSON Schema of a JSON text. Raises `UsageError`. */
function lastingArguments(text: string): LastingArguments {
  if (text === 'exact' || text === 'targets' || text === 'any') return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--always takes exact, targets, any, or a JSON Schema of the arguments.');
  }
}

/** Returns the name of the user of the operating system, or the number where it has no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

function decisionOf(action: string, { result, resend, fail }: ExecutionsArguments) {
  if (action === 'approve' || action === 'deny') return { action } as const;
  const given = [result !== undefined, resend, fail].filter(Boolean).length;
  if (given !== 1) throw new UsageError('"executions outcome" requires one of --result JSON, --resend or --fail.');
  if (resend) return { action: 'resend' } as const;
  if (fail) return { action: 'fail' } as const;
  return { action: 'result', value: jsonOf('result', result ?? '') } as const;
}

/** Returns the answer to the first open question of a server, or to an open login. */
async function answerOf(toolwright: Toolwright, id: string, args: ExecutionsArguments) {
  const { userId, call, answer, decline, cancel, more } = args;
  const given = [answer !== undefined, decline, cancel].filter(Boolean).length;
  if (given > 1) throw new UsageError('"executions answer" takes one of --answer JSON, --decline or --cancel.');
  const questions = await toolwright.executions.questions(id, userId);
  const asked = questions.find((question) => ASKS.has(question.kind) && (call === undefined || question.call === call));
  if (!asked)
    throw new UsageError(`There is no question to answer. Show what waits: toolwright executions show ${id}${more}`);
  const { kind, details, binding } = asked;
  const of = { calls: [asked.call], bindings: [binding] };
  if (kind === 'authorization') return { ...of, action: decline || cancel ? 'fail' : 'authorize' } as const;
  if (decline) return { ...of, action: 'decline' } as const;
  if (cancel) return { ...of, action: 'cancel' } as const;
  if (answer === undefined && Object(details).mode !== 'url')
    throw new UsageError('The question is a form: pass its fields as --answer JSON, or use --decline or --cancel.');
  return { ...of, action: 'answer', ...(answer === undefined ? {} : { value: jsonOf('answer', answer) }) } as const;
}

const ASKS: ReadonlySet<string> = new Set(['input', 'authorization']);
