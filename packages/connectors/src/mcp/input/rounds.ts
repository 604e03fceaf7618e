import {
  isInputRequiredResult,
  SdkError,
  SdkErrorCode,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import { ToolwrightError } from '../../errors.ts';
import type { InputOptions, InputRequest } from '../../input.ts';
import {
  answerTask,
  cancelEnded,
  cancelTask,
  pollTask,
  resultOf,
  type ServerTask,
  type TaskOptions,
  type TaskState,
  taskIn,
} from '../calls/tasks.ts';
import type { CallResult } from '../messages/call-results.ts';
import { readInputRequest, refused, type ServerRequest } from './request.ts';
import { inputResponse } from './response.ts';

/** Maximum questions of one call, and maximum times that it is sent again. */
export const MAX_ROUNDS = 10;
/** Maximum characters of the state of a call as JSON. */
const MAX_STATE_CHARACTERS = 1_000_000;

/** A call that its server has ended for lack of answers, or goes on with as a task. It is JSON data. */
interface Round {
  /** From 1. */
  readonly round: number;
  readonly requests: Readonly<Record<string, ServerRequest>>;
  /** Opaque data of the server, which it gets back unchanged. */
  readonly requestState?: string;
  /** Set for pages that the server requires before the call (error -32042): it gets the same call again, without answers. */
  readonly isUrls?: true;
  /** The task that has the call: it gets the answers, and the call is not sent again. Without requests, it works. */
  readonly task?: TaskState;
}

/** The parameters that a call has in addition when it is sent again. */
export interface RoundParameters {
  readonly inputResponses?: Record<string, Record<string, unknown>>;
  readonly requestState?: string;
}

export interface RoundOptions extends InputOptions {
  readonly server: string;
  /** How the server of a task is asked. */
  readonly task: TaskOptions;
  /** Sends the call. Returns its result, also one that needs input. */
  readonly send: (parameters: RoundParameters) => Promise<unknown>;
  /** Runs work that does not count for the time limit of the call. */
  readonly pauseFor: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Resolves when the server reports that the person is done with a page. */
  readonly whenCompleted: (elicitationId: unknown) => Promise<'answer'>;
}

/**
 * Sends a call, asks the questions of its server, and sends it again with the answers. The server ends the call with them (2026-07-28:
 * multi round-trip requests; before: error -32042). A task is polled until its end, which may take hours, and gets its answers without
 * a second call. Raises `TOOL_FAILED` after {@link MAX_ROUNDS} rounds.
 */
export async function callInRounds(options: RoundOptions): Promise<CallResult> {
  const { server, onPaused, pauseFor } = options;
  let state = roundOf(options.paused, server);
  let task: ServerTask | undefined;
  for (;;) {
    const current = state;
    const answers = current && needsAnswers(current) ? await pauseFor(() => askedAnswers(current, options)) : undefined;
    const next: Next = current?.task
      ? await pauseFor(() => taskRound({ ...current, task: current.task as TaskState }, { answers, task, options }))
      : await sendRound(current, answers, options);
    if ('result' in next) return next.result;
    task = next.task;
    state = await checked(next.round, options);
    onPaused?.(state);
  }
}

/** The end of a round: the result of the call, or another round with its task. */
type Next = { readonly result: CallResult } | { readonly round: Round; readonly task?: ServerTask };

/** A task that works has no questions. Any other call is sent again, also without questions. */
function needsAnswers({ task, requests }: Round): boolean {
  return task === undefined || Object.keys(requests).length > 0;
}

interface TaskRoundOptions {
  readonly answers: RoundParameters | undefined;
  /** The fresh state of the task. */
  readonly task: ServerTask | undefined;
  readonly options: RoundOptions;
}

/** Gives a task its answers, and waits until it ends or asks again. */
async function taskRound(
  { round, task: before }: Round & { readonly task: TaskState },
  { answers, task, options: { task: options, onPaused } }: TaskRoundOptions,
): Promise<Next> {
  const { inputResponses = {} } = answers ?? {};
  const state = { ...before, answered: [...(before.answered ?? []), ...Object.keys(inputResponses)] };
  if (answers) {
    await answerTask(state.taskId, inputResponses, options);
    onPaused?.({ round, requests: {}, task: state } satisfies Round);
  }
  return afterTask(await pollTask(state, answers ? undefined : task, options), { round: round + 1, state, options });
}

interface AfterTaskOptions {
  /** The number of the next round. */
  readonly round: number;
  readonly state: TaskState;
  readonly options: TaskOptions;
}

function afterTask(task: ServerTask, { round, state, options }: AfterTaskOptions): Next {
  if (task.status !== 'working' && task.status !== 'input_required') return { result: resultOf(task, options) };
  const open = Object.entries(task.inputRequests ?? {}).filter(([key]) => !state.answered?.includes(key));
  return { round: { round, requests: Object.fromEntries(open) as Round['requests'], task: state }, task };
}

async function sendRound(
  state: Round | undefined,
  answers: RoundParameters | undefined,
  { send, beforeResend, task: options }: RoundOptions,
): Promise<Next> {
  const round = (state?.round ?? 0) + 1;
  if (answers) await beforeResend?.();
  try {
    const result = await send(answers ?? {});
    if (!isInputRequiredResult(result)) {
      const task = taskIn(result as CallResult, options);
      if (task === undefined) return { result: result as CallResult };
      return afterTask(task, { round, state: { taskId: task.taskId, sinceMs: Date.now() }, options });
    }
    const { inputRequests, requestState } = result;
    const requests: Readonly<Record<string, ServerRequest>> = Object(inputRequests);
    if (Object.keys(requests).length === 0 && requestState === undefined)
      throw new SdkError(SdkErrorCode.InvalidResult, 'it requires input, and has neither questions nor a state');
    return { round: { round, requests, requestState } };
  } catch (error) {
    if (!(error instanceof UrlElicitationRequiredError)) throw error;
    const requests = error.elicitations.map((params, index) => [`${index}`, { method: 'elicitation/create', params }]);
    return { round: { round, requests: Object.fromEntries(requests), isUrls: true } };
  }
}

/** Raises the reason for which a round cannot be answered. Its task is cancelled then. */
async function checked(round: Round, options: RoundOptions): Promise<Round> {
  try {
    return checkedRound(round, options);
  } catch (error) {
    if (round.task) await cancelTask(round.task.taskId, options.task);
    throw error;
  }
}

function checkedRound(round: Round, { server, onInput }: RoundOptions): Round {
  if (!needsAnswers(round)) return round;
  if (!onInput) throw refused(server, 'nobody can be asked during this call');
  if (round.round > MAX_ROUNDS) throw tooManyQuestions(server);
  const requests = Object.values(round.requests);
  if (requests.length > MAX_ROUNDS) throw tooManyQuestions(server);
  for (const request of requests) readInputRequest(server, request);
  const { length } = JSON.stringify(round);
  if (length > MAX_STATE_CHARACTERS) throw refused(server, `it is longer than ${MAX_STATE_CHARACTERS} characters`);
  return round;
}

/** Asks the questions of a round. When the call ends meanwhile, its task is cancelled. */
async function askedAnswers(round: Round, options: RoundOptions): Promise<RoundParameters> {
  try {
    return await answersOf(round, options);
  } catch (error) {
    if (round.task) await cancelEnded(round.task.taskId, options.task);
    throw error;
  }
}

/** Asks the questions of a round, one after the other. */
async function answersOf(
  { requests, requestState, isUrls }: Round,
  { server, onInput, whenCompleted }: RoundOptions,
): Promise<RoundParameters> {
  const inputResponses: Record<string, Record<string, unknown>> = {};
  for (const [key, request] of Object.entries(requests)) {
    const details = readInputRequest(server, request);
    const asked: InputRequest = { details, isLive: false, ended: whenCompleted(Object(request.params).elicitationId) };
    const answer = (await onInput?.(asked)) ?? { action: 'cancel' as const };
    if (isUrls && answer.action !== 'answer') throw notOpened(server, details);
    inputResponses[key] = inputResponse(details, answer);
  }
  if (isUrls) return {};
  const isAnswered = Object.keys(inputResponses).length > 0;
  return { inputResponses: isAnswered ? inputResponses : undefined, requestState };
}

/** Returns the id of the task that has a paused call, if any. */
export function taskIdIn(state: unknown): string | undefined {
  const { taskId } = Object(Object(state).task);
  return typeof taskId === 'string' ? taskId : undefined;
}

function roundOf(state: unknown, server: string): Round | undefined {
  if (state === undefined) return undefined;
  const { round, requests } = Object(state);
  if (typeof round === 'number' && typeof requests === 'object') return state as Round;
  throw refused(server, 'the recorded state of the call is of another version');
}

/** Returns the error of a server that asks without an end. */
export function tooManyQuestions(server: string): ToolwrightError {
  const message = `${server} asked more than ${MAX_ROUNDS} questions during one call. The call was ended.`;
  return new ToolwrightError('TOOL_FAILED', message, { details: { server } });
}

function notOpened(server: string, details: object): ToolwrightError {
  const { host } = 'url' in details ? new URL(String(details.url)) : { host: 'the page' };
  const message = `${server} requires that a person opens a page on ${host} before this call, and nobody did. The call was not made.`;
  return new ToolwrightError('TOOL_FAILED', message, { details: { server } });
}
