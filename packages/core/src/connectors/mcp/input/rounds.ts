import { type CallToolResult, isInputRequiredResult, UrlElicitationRequiredError } from '@modelcontextprotocol/client';
import { ToolwrightError } from '../../../errors.ts';
import type { InputOptions, InputRequest } from '../../input.ts';
import { readInputRequest, refused, type ServerRequest } from './request.ts';
import { inputResponse } from './response.ts';

/** Maximum questions of one call, and maximum times that it is sent again. */
export const MAX_ROUNDS = 10;
/** Maximum characters of the state of a call as JSON. */
const MAX_STATE_CHARACTERS = 1_000_000;

/** A call that its server has ended for lack of answers. It is JSON data. */
interface Round {
  /** From 1. */
  readonly round: number;
  readonly requests: Readonly<Record<string, ServerRequest>>;
  /** Opaque data of the server, which it gets back unchanged. */
  readonly requestState?: string;
  /** Set for pages that the server requires before the call (error -32042): it gets the same call again, without answers. */
  readonly isUrls?: true;
}

/** The parameters that a call has in addition when it is sent again. */
export interface RoundParameters {
  readonly inputResponses?: Record<string, Record<string, unknown>>;
  readonly requestState?: string;
}

export interface RoundOptions extends InputOptions {
  readonly server: string;
  /** Sends the call. Returns its result, also one that needs input. */
  readonly send: (parameters: RoundParameters) => Promise<unknown>;
  /** Runs work that does not count for the time limit of the call. */
  readonly pauseFor: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Resolves when the server reports that the person is done with a page. */
  readonly whenCompleted: (elicitationId: unknown) => Promise<'answer'>;
}

/**
 * Sends a call, asks the questions of its server, and sends it again with the answers. The server ends the call with them (2026-07-28:
 * multi round-trip requests; before: error -32042). Raises `TOOL_FAILED` after {@link MAX_ROUNDS} rounds.
 */
export async function callInRounds(options: RoundOptions): Promise<CallToolResult> {
  const { server, onPaused, beforeResend, send, pauseFor } = options;
  let state = roundOf(options.paused, server);
  for (;;) {
    const answers = state && (await pauseFor(() => answersOf(state as Round, options)));
    if (answers) await beforeResend?.();
    const next = await nextOf(() => send(answers ?? {}), (state?.round ?? 0) + 1);
    if ('result' in next) return next.result;
    state = checked(next.round, options);
    onPaused?.(state);
  }
}

async function nextOf(
  send: () => Promise<unknown>,
  round: number,
): Promise<{ readonly result: CallToolResult } | { readonly round: Round }> {
  try {
    const result = await send();
    if (!isInputRequiredResult(result)) return { result: result as CallToolResult };
    const { inputRequests = {}, requestState } = result;
    const requests = inputRequests as Readonly<Record<string, ServerRequest>>;
    return { round: { round, requests, ...(requestState === undefined ? {} : { requestState }) } };
  } catch (error) {
    if (!(error instanceof UrlElicitationRequiredError)) throw error;
    const requests = error.elicitations.map((params, index) => [`${index}`, { method: 'elicitation/create', params }]);
    return { round: { round, requests: Object.fromEntries(requests), isUrls: true } };
  }
}

function checked(round: Round, { server, onInput }: RoundOptions): Round {
  if (!onInput) throw refused(server, 'nobody can be asked during this call');
  if (round.round > MAX_ROUNDS) throw tooManyQuestions(server);
  const requests = Object.values(round.requests);
  if (requests.length > MAX_ROUNDS) throw tooManyQuestions(server);
  for (const request of requests) readInputRequest(server, request);
  const { length } = JSON.stringify(round);
  if (length > MAX_STATE_CHARACTERS) throw refused(server, `it is longer than ${MAX_STATE_CHARACTERS} characters`);
  return round;
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
  return { ...(isAnswered ? { inputResponses } : {}), ...(requestState === undefined ? {} : { requestState }) };
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
