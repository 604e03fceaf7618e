import { userInfo } from 'node:os';
import type {
  ExecutionCall,
  ExecutionStatus,
  ExecutionSummary,
  LastingArguments,
  LastingDecision,
  Toolwright,
} from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { DEFAULT_PAGE_EXECUTIONS, DEFAULT_USER, MAX_PAGE_CALLS, MAX_PAGE_EXECUTIONS } from '@toolwright/core/internal';
import { exitCodeOf, jsonOf } from '../command.ts';
import { plannedLines } from '../run/planned-calls.ts';
import { approvedCommand, nextCommand, printResult, questionText } from '../run/print-result.ts';
import { asLine } from '../terminal.ts';
import type { ExecutionsArguments } from './arguments.ts';
import { diff } from './diff.ts';
import { exportTest } from './export.ts';
import { fork } from './fork.ts';
import { replay } from './replay.ts';

const STATUSES: readonly ExecutionStatus[] = [
  ...(['running', 'suspended', 'interrupted', 'completed', 'failed', 'stopped', 'cancelled'] as const),
];

/** Runs `toolwright executions`. Returns the exit code. */
export async function executions(toolwright: Toolwright, args: ExecutionsArguments, output: Output): Promise<number> {
  const [action = 'list', id, ...more] = args.words;
  const actions = {
    show,
    approve: decide,
    deny: decide,
    outcome: decide,
    answer: decide,
    resume,
    replay,
    fork,
    diff,
    export: exportTest,
    revoke,
    remove,
  };
  if (action === 'list' && id === undefined) return list(toolwright, args, output);
  if (action === 'lasting' && id === undefined) return listLasting(toolwright, args, output);
  if (!Object.hasOwn(actions, action) || id === undefined || more.length > (action === 'diff' ? 1 : 0)) {
    const known = Object.keys(actions).join(' ID", "executions ');
    throw new UsageError(`Use "executions list", "executions lasting", "executions ${known} ID".`);
  }
  return actions[action as keyof typeof actions](toolwright, id, args, output);
}

async function list(toolwright: Toolwright, args: ExecutionsArguments, output: Output) {
  const { json, userId, status, limit = DEFAULT_PAGE_EXECUTIONS } = args;
  if (limit > MAX_PAGE_EXECUTIONS) throw new UsageError(`--limit takes at most ${MAX_PAGE_EXECUTIONS}, not ${limit}.`);
  const known = STATUSES.find((name) => name === status);
  if (status !== undefined && known === undefined) {
    throw new UsageError(`There is no status "${status}". Use one of: ${STATUSES.join(', ')}.`);
  }
  const executions: ExecutionSummary[] = [];
  let cursor: string | undefined;
  do {
    const rest = limit - executions.length;
    const page = await toolwright.executions.list({ userId, status: known, cursor, limit: rest });
    executions.push(...page.executions);
    cursor = page.nextCursor;
  } while (cursor !== undefined && executions.length < limit);
  if (json) output.out(JSON.stringify({ executions, nextCursor: cursor }));
  for (const found of json ? [] : executions) {
    const { id, startedAt, language, sandbox, sessionId, isDryRun } = found;
    const session = sessionId === undefined ? '' : `, session ${sessionId}`;
    output.out(
      `${id}  ${found.status}  ${startedAt}  ${language} in ${sandbox}${session}${isDryRun ? ', dry run' : ''}`,
    );
  }
  if (cursor !== undefined && !json) output.err(`There are more: raise --limit, up to ${MAX_PAGE_EXECUTIONS}.`);
  if (executions.length === 0 && !json) output.err('There are no such executions.');
  return EXIT.completed;
}

async function show(
  toolwright: Toolwright,
  id: string,
  { json, userId, more, real }: ExecutionsArguments,
  output: Output,
) {
  const execution = await toolwright.executions.get(id, userId);
  const [calls, questions] = await Promise.all([
    callsOf(toolwright, id, userId),
    toolwright.executions.questions(id, userId, { arguments: real ? 'real' : 'redacted' }),
  ]);
  if (json) {
    output.out(JSON.stringify({ ...execution, calls, questions }));
    return EXIT.completed;
  }
  const { forkedFrom, isDryRun } = execution;
  const from = forkedFrom ? `  forked from ${forkedFrom.id} at call ${forkedFrom.at}` : '';
  output.out(`${execution.id}  ${execution.status}  ${execution.startedAt}${isDryRun ? '  dry run' : ''}${from}`);
  for (const line of execution.source.trimEnd().split(/\r?\n/)) output.out(`  | ${asLine(line)}`);
  const planned = execution.result?.dryRun?.calls;
  for (const line of planned ? plannedLines(planned) : calls.map(callLine)) output.out(line);
  for (const question of questions) output.out(questionText(question));
  if (questions.length > 0) output.err(`Decide with: ${nextCommand(id, questions, more)}`);
  else if (execution.status === 'suspended' || (execution.status === 'interrupted' && !execution.isDryRun)) {
    output.err(`Continue it with: toolwright executions resume ${id}${more}`);
  }
  return EXIT.completed;
}

function callLine({ number, tool, outcome, arguments: given, isInvented }: ExecutionCall): string {
  return `call ${number}  ${isInvented ? 'invented' : outcome}  ${asLine(`${tool} ${JSON.stringify(given)}`)}`;
}

async function callsOf(toolwright: Toolwright, id: string, userId: string | undefined): Promise<ExecutionCall[]> {
  const calls: ExecutionCall[] = [];
  for (;;) {
    const page = await toolwright.executions.calls(id, userId, { after: calls.length, limit: MAX_PAGE_CALLS });
    calls.push(...page);
    if (page.length < MAX_PAGE_CALLS) return calls;
  }
}

async function decide(toolwright: Toolwright, id: string, args: ExecutionsArguments, output: Output) {
  const [action = ''] = args.words;
  const { userId, call, next, always, expires, note, by = systemUser(), more } = args;
  const decided = await toolwright.executions.decide(id, {
    calls: call === undefined ? undefined : [call],
    ...(action === 'answer' ? await answerOf(toolwright, id, args) : decisionOf(action, args)),
    userId,
    by,
    ...(note === undefined ? {} : { note }),
    ...(next === undefined ? {} : { covers: { next } }),
    ...(always === undefined ? {} : { always: { arguments: lastingArguments(always), expiresAt: expires } }),
  });
  const { status, isDryRun } = await toolwright.executions.get(id, userId);
  if (args.json) output.out(JSON.stringify({ executionId: id, decided, status }));
  else {
    const calls =
      decided.length === 0 ? 'no calls' : `${decided.length === 1 ? 'call' : 'calls'} ${decided.join(', ')}`;
    output.out(`Decided about ${calls}.`);
    if (isDryRun && action === 'deny') return EXIT.completed;
    if (isDryRun) output.err(approvedCommand(id));
    else if (status === 'running') output.err('The process that runs it continues it.');
    else output.err(`Continue it with: toolwright executions resume ${id}${more}`);
  }
  return EXIT.completed;
}

/** Returns the arguments of a lasting approval: a word, or the JSON Schema of a JSON text. Raises `UsageError`. */
function lastingArguments(text: string): LastingArguments {
  if (text === 'exact' || text === 'any') return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--always takes exact, any, or a JSON Schema of the arguments.');
  }
}

async function listLasting(
  toolwright: Toolwright,
  { json, userId = DEFAULT_USER }: ExecutionsArguments,
  output: Output,
) {
  const decisions = await toolwright.lastingDecisions.list(userId);
  if (json) output.out(JSON.stringify({ decisions }));
  else for (const decision of decisions) output.out(lastingLine(decision));
  if (decisions.length === 0 && !json) output.err('There are no lasting approvals.');
  return EXIT.completed;
}

async function revoke(
  toolwright: Toolwright,
  id: string,
  { json, userId = DEFAULT_USER }: ExecutionsArguments,
  output: Output,
) {
  const revoked = await toolwright.lastingDecisions.revoke(userId, id);
  output.out(json ? JSON.stringify({ revoked }) : `Revoked ${lastingLine(revoked)}`);
  return EXIT.completed;
}

function lastingLine({ id, tool, arguments: scope, by, at, expiresAt }: LastingDecision): string {
  const end = expiresAt === undefined ? '' : `, until ${expiresAt}`;
  return asLine(`${id}  ${tool}  ${scope} arguments  by ${by}, ${at}${end}`);
}

async function remove(toolwright: Toolwright, id: string, { json, userId }: ExecutionsArguments, output: Output) {
  await toolwright.executions.remove(id, userId);
  output.out(json ? JSON.stringify({ removed: id }) : `Removed ${id}.`);
  return EXIT.completed;
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

async function resume(toolwright: Toolwright, id: string, args: ExecutionsArguments, output: Output) {
  const { json, userId, signal, more } = args;
  const result = await toolwright.executions.resume(id, { userId, signal });
  if (json) output.out(JSON.stringify(result));
  else printResult(result, output, more);
  return exitCodeOf(result);
}
