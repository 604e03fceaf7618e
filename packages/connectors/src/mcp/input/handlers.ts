import { type Client, type ClientCapabilities, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { ToolwrightError } from '../../errors.ts';
import type { QuestionSettings } from '../../servers/server-config.ts';
import { APPS_EXTENSION } from '../apps.ts';
import { TASKS_EXTENSION } from '../calls/tasks.ts';
import type { CallInFlight, CallsInFlight } from './calls-in-flight.ts';
import { readInputRequest, type ServerRequest } from './request.ts';
import { inputResponse } from './response.ts';
import { MAX_ROUNDS, tooManyQuestions } from './rounds.ts';

/** Error code of a request that the user refuses (specification: Sampling). */
const REFUSED = -1;

export interface RequestHandlerOptions {
  readonly server: string;
  readonly questions: QuestionSettings | undefined;
  readonly calls: CallsInFlight;
  readonly completions: Completions;
  readonly log: (line: string) => void;
}

/** Reports of a server that a person is done with a page. */
export interface Completions {
  /** Resolves when the server reports it. */
  when(elicitationId: unknown): Promise<'answer'>;
  report(elicitationId: string): void;
}

/** Maximum pages that are waited for. */
const MAX_PAGES = 100;

/** Creates the reports of a server. */
export function createCompletions(): Completions {
  const waiting = new Map<string, () => void>();
  return {
    when: (elicitationId) =>
      new Promise((resolve) => {
        if (typeof elicitationId !== 'string') return;
        for (const oldest of waiting.keys()) if (waiting.size >= MAX_PAGES) waiting.delete(oldest);
        waiting.set(elicitationId, () => resolve('answer'));
      }),
    report(elicitationId) {
      waiting.get(elicitationId)?.();
      waiting.delete(elicitationId);
    },
  };
}

/** Returns the capabilities that the client declares: tasks, and questions. A server sends no other questions. */
export function inputCapabilities({
  elicitation = true,
  sampling = false,
  roots = false,
}: QuestionSettings = {}): ClientCapabilities {
  return {
    extensions: { ...TASKS_EXTENSION, ...APPS_EXTENSION },
    elicitation: elicitation ? { form: {}, url: {} } : undefined,
    sampling: sampling ? {} : undefined,
    roots: roots ? {} : undefined,
  };
}

/**
 * Answers requests that a server sends on the connection (before 2026-07-28). They do not name their call. One that comes while
 * several calls of one user are under way waits for the end of the others. With calls of several users, it gets no answer, so that it
 * reaches no other user.
 */
export function answerRequests(client: Client, options: RequestHandlerOptions): void {
  const { questions, completions } = options;
  const declared = inputCapabilities(questions);
  if (declared.elicitation) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
      answer({ method: 'elicitation/create', params }, mcpReq.signal, options).then((found) => found as never),
    );
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
      completions.report(params.elicitationId),
    );
  }
  if (declared.sampling)
    client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) =>
      answer({ method: 'sampling/createMessage', params }, mcpReq.signal, options).then((found) => found as never),
    );
  if (declared.roots)
    client.setRequestHandler('roots/list', (_request, { mcpReq }) =>
      answer({ method: 'roots/list' }, mcpReq.signal, options).then((found) => found as never),
    );
}

async function answer(
  request: ServerRequest,
  signal: AbortSignal,
  options: RequestHandlerOptions,
): Promise<Record<string, unknown>> {
  const { server, calls, completions, log } = options;
  const isRoots = request.method === 'roots/list';
  if (!isRoots) calls.serialize();
  try {
    const details = readInputRequest(server, request);
    const call = isRoots ? calls.only() : await calls.whenOnly(signal);
    if (!call?.onInput) return unanswered(request, options);
    if (details.mode !== 'roots') countQuestion(call, server);
    const withdrawn = new Promise<'cancel'>((resolve) => {
      signal.addEventListener('abort', () => resolve('cancel'), { once: true });
    });
    const ended = Promise.race([withdrawn, completions.when(Object(request.params).elicitationId)]);
    const { onInput } = call;
    const given = await call.clock.pauseFor(() =>
      onInput({ details, isLive: true, ended, fail: (error) => call.clock.fail(error) }),
    );
    return inputResponse(details, given);
  } catch (error) {
    if (!(error instanceof ToolwrightError)) throw error;
    log(error.message);
    const code = request.method === 'sampling/createMessage' ? REFUSED : ProtocolErrorCode.InvalidParams;
    throw new ProtocolError(code, error.message);
  }
}

function unanswered(request: ServerRequest, { server, calls, log }: RequestHandlerOptions): Record<string, unknown> {
  if (request.method === 'roots/list') return { roots: [] };
  const problem = `${calls.count()} calls are under way, and it is unknown to which one the question belongs. From now on, ${server} gets one call at a time`;
  log(`a question of the server got no answer: ${problem}`);
  if (request.method === 'elicitation/create') return { action: 'cancel' };
  throw new ToolwrightError('TOOL_FAILED', `The question of ${server} got no answer: ${problem}.`);
}

function countQuestion(call: CallInFlight, server: string): void {
  if (++call.questions <= MAX_ROUNDS) return;
  const error = tooManyQuestions(server);
  call.clock.fail(error);
  throw error;
}
