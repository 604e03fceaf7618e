import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type InputRequiredResult,
  type InputRequiredSpec,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import {
  type DecideRequest,
  type ExecutionResult,
  type OnApproval,
  type PendingQuestion,
  ToolwrightError,
} from '@toolwright/core';
import type { Caller } from '../call.ts';
import { approvalForm, questionsOfForm, readApprovalForm } from './approval-form.ts';
import type { ApprovalState, ShownCalls } from './approval-state.ts';
import { inputForm, readInputForm, shownInput, showsForms } from './input-form.ts';

/** The client that is asked. */
export interface Requester {
  readonly caller: Caller;
  readonly context: ServerContext;
}

/** One request of a tool call that may ask its user. */
export interface Asking extends Requester {
  readonly request: string;
  readonly sessionId: string | undefined;
  readonly round: number;
}

/** The result of an execution, a question to the client, or the questions that others must decide. */
export type Step =
  | { readonly result: ExecutionResult }
  | { readonly asks: InputRequiredResult }
  | { readonly executionId: string; readonly pending: readonly PendingQuestion[] };

/** Starts or continues an execution. */
export type Run = (onApproval: OnApproval) => Promise<ExecutionResult>;

/** Questions of one tool call. The SDK ends a call of an older client after 8 rounds. */
const MAX_ROUNDS = 7;
/** Milliseconds in which the questions of parallel calls come into one form. */
const GATHER_MS = 50;
/** Milliseconds between two looks at an execution that runs elsewhere: the first wait, and the longest. */
const LOOK_MS = { first: 25, longest: 1_000 };

/** Returns the digest of JSON data. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}

/** Runs an execution until it ends, is suspended, or asks. While the client shows the question, the execution waits. */
export async function runOrAsk(run: Run, asking: Asking): Promise<Step> {
  let ask: (id: string) => void = () => undefined;
  const asked = new Promise<string>((resolve) => {
    ask = resolve;
  });
  const running = run(({ executionId }) => {
    ask(executionId);
    return undefined;
  });
  const first = await Promise.race(mayAsk(asking) && asking.round <= MAX_ROUNDS ? [asked, running] : [running]);
  if (typeof first !== 'string') return { result: first };
  await Promise.race([running, sleep(GATHER_MS)]);
  const { executions } = asking.caller.toolwright;
  const step = await stepOf(await executions.questions(first, asking.caller.user), first, asking);
  if (!step) return { result: await running };
  // Its journal has the outcome, which the next request reads.
  running.catch(() => undefined);
  return step;
}

/**
 * Stores the decision in the answer of a client. Waits for the result or the next question of the execution. Raises `ALREADY_DECIDED`,
 * `EXECUTION_ENDED` and `QUESTION_CHANGED` when a shown approval is no longer open.
 */
export async function decideAndFollow(state: ApprovalState, asking: Asking, resume: Run): Promise<Step> {
  const { caller, context, request } = asking;
  const { executions } = caller.toolwright;
  const { executionId, bindings } = state;
  if (request !== state.request) {
    const message =
      'The arguments are not those of the call that asked. Repeat the call unchanged; nothing was decided.';
    throw new ToolwrightError('INVALID_ARGUMENTS', message);
  }
  const decision = readDecision(context.mcpReq.inputResponses, state);
  const pending = () => executions.questions(executionId, caller.user);
  if (!decision) return { executionId, pending: await pending() };
  try {
    await executions.decide(executionId, { ...decision, bindings, userId: caller.user, by: caller.user });
  } catch (error) {
    if (isSettled(error, state)) return follow(executionId, asking, resume);
    // The form came back with other values than it asks for.
    const isWrong = error instanceof ToolwrightError && error.code === 'CONFIG_INVALID';
    const again = isWrong ? await stepOf(await pending(), executionId, asking, error.message) : undefined;
    if (!again) throw error;
    return again;
  }
  return follow(executionId, asking, resume);
}

/** Returns whether a login or a page was settled before the client reported it: by the login itself, or by its server. */
function isSettled(error: unknown, { kind }: ApprovalState): boolean {
  return kind !== undefined && error instanceof ToolwrightError && SETTLED.has(error.code);
}

const SETTLED: ReadonlySet<string> = new Set(['ALREADY_DECIDED', 'EXECUTION_ENDED']);

/** Waits for an execution that runs here or in another process, and continues it when no process does. */
async function follow(id: string, asking: Asking, resume: Run): Promise<Step> {
  const { user, toolwright } = asking.caller;
  const { executions } = toolwright;
  for (let waitMs = LOOK_MS.first; ; waitMs = Math.min(waitMs * 2, LOOK_MS.longest)) {
    const { status, result } = await executions.get(id, user);
    if (result) return { result };
    if (status !== 'running' && status !== 'suspended' && status !== 'interrupted') {
      throw new ToolwrightError('EXECUTION_ENDED', `Execution ${id} has ended: its status is "${status}".`);
    }
    const pending = await executions.questions(id, user);
    const step = await stepOf(pending, id, asking);
    if (step) return step;
    if (status === 'suspended' && pending.length > 0) return { executionId: id, pending };
    if (status !== 'running') {
      const continued = await runOrAsk(resume, asking).catch((error: unknown) => {
        if (error instanceof ToolwrightError && TAKEN.has(error.code)) return undefined;
        throw error;
      });
      if (continued) return continued;
    }
    await sleep(waitMs, undefined, { signal: asking.context.mcpReq.signal });
  }
}

/** Another process continues the execution, or has finished it. */
export const TAKEN: ReadonlySet<string> = new Set(['EXECUTION_RUNNING', 'EXECUTION_ENDED']);

/** Returns the question to the client, if it can show one. `problem`: why the last answer was refused. */
async function stepOf(
  open: readonly PendingQuestion[],
  executionId: string,
  asking: Asking,
  problem?: string,
): Promise<Step | undefined> {
  const { caller, context, request, sessionId, round } = asking;
  const shown = round > MAX_ROUNDS ? undefined : await shownQuestion(open, executionId, { caller, context, problem });
  if (!shown) return undefined;
  const { inputRequests, ...about } = shown;
  const requestState = await caller.sealState({ executionId, request, round, sessionId, ...about }, context);
  return { asks: inputRequired({ inputRequests, requestState }) };
}

/** A form, page or request for a model, and the open questions that it shows. */
export interface ShownQuestion extends ShownCalls {
  readonly inputRequests: InputRequests;
}

type InputRequests = NonNullable<InputRequiredSpec['inputRequests']>;

/** Returns open questions of an execution in the form that its client can show; undefined if it can show none. */
export async function shownQuestion(
  open: readonly PendingQuestion[],
  executionId: string,
  { caller, context, problem }: Requester & { readonly problem?: string | undefined },
): Promise<ShownQuestion | undefined> {
  if (open.length === 0 || !mayAsk({ caller, context })) return undefined;
  const real = await withValues(open, executionId, caller);
  const shows = caller.capabilitiesOf(context) ?? {};
  const approvals = showsForms(shows) ? questionsOfForm(real) : [];
  const input = approvals.length === 0 ? shownInput(real, shows) : undefined;
  const questions = input ? [input] : approvals;
  if (questions.length === 0) return undefined;
  // A model reads a request for a model: it gets the redacted one.
  const shown = open.find(({ binding }) => binding === input?.binding);
  const inputRequests = input
    ? inputForm(isForModel(input) && shown ? shown : input, problem)
    : approvalForm(questions);
  const about = { calls: questions.map(({ call }) => call), bindings: questions.map(({ binding }) => binding) };
  return { ...about, kind: input?.kind, inputRequests };
}

/** Reads the answer of a client to a {@link ShownQuestion}. Returns nothing when its user closed the form. */
export function readDecision(
  responses: Readonly<Record<string, unknown>> | undefined,
  { kind, calls }: ShownCalls,
): DecideRequest | undefined {
  if (kind === undefined) return readApprovalForm(responses, calls);
  const decision = readInputForm(responses, kind);
  return decision && { ...decision, calls };
}

function isForModel({ details }: PendingQuestion): boolean {
  return Object(details).mode === 'sampling';
}

/** Returns the questions with values in place of placeholders: a person reads the form. Placeholders that cannot be restored stay. */
async function withValues(
  open: readonly PendingQuestion[],
  executionId: string,
  { toolwright, user }: Caller,
): Promise<readonly PendingQuestion[]> {
  const real = await toolwright.executions
    .questions(executionId, user, { arguments: 'real' })
    .catch((): readonly PendingQuestion[] => []);
  return open.map((question) => real.find(({ binding }) => binding === question.binding) ?? question);
}

/** Returns whether the user of the client may decide here, and the client can show a question. */
function mayAsk({ caller, context }: Requester): boolean {
  const shows = caller.capabilitiesOf(context) ?? {};
  const showsAny = shows.elicitation !== undefined || shows.sampling !== undefined;
  return caller.mayDecide && showsAny;
}
