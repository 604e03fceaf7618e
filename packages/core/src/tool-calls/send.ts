import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Connector,
  InputAnswer,
  InputDetails,
  InputOptions,
  InputRequest,
  RawResult,
  Tool,
  ToolCallOptions,
} from '@toolwright/connectors';
import { inSpan, isTraced } from '@toolwright/connectors/internal';
import { ToolwrightError } from '../errors.ts';
import type { DecisionEntry } from '../journal/entries.ts';
import type { CallQuestion, QuestionEnd, SentCall, ToolCallContext } from './call.ts';
import type { CallEntries } from './journal.ts';
import { UnredactedError } from './redaction/unredacted-error.ts';

/** Returns data in the form that the program wants: `null` for none, or as a whole result. */
export function inForm(data: unknown, isRaw: boolean | undefined): unknown {
  return isRaw ? ({ content: [], structuredContent: data ?? null } satisfies RawResult) : (data ?? null);
}

/**
 * Sends the call. Returns the data of the tool, `null` for none, or the whole result if the program wants it. Without `input`, questions
 * of the server get no answers. Raises the errors of the connector, unredacted.
 */
export async function dispatchCall(
  { restored: { args }, target: { tool, connector } }: SentCall,
  { signal, userId, clientHeaders, isRaw, onToolProgress }: ToolCallContext,
  input: InputOptions = {},
): Promise<unknown> {
  signal.throwIfAborted();
  try {
    const { onInput, onPaused, beforeResend, paused, onTaskWait } = input;
    let whole: RawResult | undefined;
    const onResult = (result: RawResult) => {
      whole = result;
    };
    const options: ToolCallOptions = {
      onInput,
      onPaused,
      beforeResend,
      paused,
      onTaskWait,
      onResult: isRaw ? onResult : undefined,
      signal,
      userId,
      clientHeaders: connector.clientHeaders && headersFor(connector.clientHeaders, clientHeaders),
      onProgress: onToolProgress,
    };
    const { name } = tool.definition;
    const data = await (isTraced()
      ? inSpan(`execute_tool ${tool.id}`, { attributes: attributesOf(tool) }, () => connector.call(name, args, options))
      : connector.call(name, args, options));
    return isRaw ? (whole ?? inForm(data, isRaw)) : (data ?? null);
  } catch (error) {
    throw error instanceof ToolwrightError ? new UnredactedError(error, tool) : error;
  }
}

function attributesOf({ id }: Tool) {
  return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': id };
}

/** Returns those headers of a client that a server needs. */
export function headersFor(
  names: Connector['clientHeaders'] = [],
  given: ToolCallOptions['clientHeaders'] = {},
): NonNullable<ToolCallOptions['clientHeaders']> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}

/** Maximum times that a call is sent. */
const MAX_TIMES = 10;
/** Milliseconds for a server to end a call whose question gets no answer. */
const END_MS = 10_000;
const CANCEL: InputAnswer = { action: 'cancel' };

/** One time that a call is sent. */
interface Attempt {
  /** The answers of earlier attempts that the server has not got this time. */
  readonly known: Answered[];
  /** The question that the server waits for. */
  open?: {
    readonly details: InputDetails;
    readonly decision: Promise<DecisionEntry>;
    readonly settle: (end: QuestionEnd) => void;
    readonly fail: InputRequest['fail'];
  };
  /** The server got no answer to it. */
  isReleased: boolean;
  /** The server did not end the call after that. */
  isStopped: boolean;
  hasEnded: boolean;
  /** Called at the end. */
  onEnd?: () => void;
  /** Settles after the last request. */
  last?: Promise<unknown>;
}

interface Answered {
  /** The question as JSON. */
  readonly question: string;
  readonly answer: InputAnswer;
}

/**
 * Sends a call, and asks people the questions of its server. Returns the data of the tool like {@link dispatchCall}.
 *
 * A server since 2026-07-28 ends the call with its questions, and the connector sends it again with the answers. An older server waits
 * for the answer while the call is under way. When it ends the call first, the call is sent again after the answer: from its start,
 * with all answers. The question states it. Raises `OUTCOME_UNKNOWN` when it does not end the call.
 */
export async function sendWithInputs(sent: SentCall, entries: CallEntries, context: ToolCallContext): Promise<unknown> {
  if (sent.target.connector.neverAsks) return dispatchCall(sent, context);
  const { earlier } = sent.call;
  const unanswered = earlier && unansweredIn(earlier.state);
  const answered: Answered[] = earlier?.pause && unanswered ? [await answerLater(unanswered, { sent, context })] : [];
  if (answered.length > 0) await entries.resend();
  for (let times = 1; ; times++) {
    const attempt: Attempt = { known: [...answered], isReleased: false, isStopped: false, hasEnded: false };
    const paused = times === 1 && !unanswered ? earlier?.state : undefined;
    const result = dispatchCall(sent, context, {
      onInput: (request) => askInTurn(request, { attempt, answered, sent, context }),
      onPaused: (state) => entries.pause(state),
      beforeResend: entries.resend,
      paused,
      onTaskWait: context.onTaskWait,
    });
    let isOk = true;
    let data: unknown;
    try {
      data = await result;
    } catch {
      isOk = false;
    }
    const { open, isReleased } = attempt;
    if (!open) return ended(attempt, isOk ? data : result);
    if (isOk && !isReleased) {
      // The server did not need the answer.
      open.settle({ action: 'cancel', by: sent.target.tool.server });
      return ended(attempt, result);
    }
    if (attempt.isStopped) {
      void ended(attempt, result);
      await open.decision;
      throw outcomeUnknown(sent);
    }
    entries.pause({ unanswered: open.details } satisfies LivePause);
    void ended(attempt, result);
    const { action } = await open.decision;
    if ((action !== 'answer' && action !== 'decline') || times === MAX_TIMES) return result;
    await entries.resend();
  }
}

function ended<Result>(attempt: Attempt, result: Result): Result {
  attempt.hasEnded = true;
  attempt.onEnd?.();
  return result;
}

/** The state of a call that an older server ended without the answer to this question. */
interface LivePause {
  readonly unanswered: InputDetails;
}

function unansweredIn(state: unknown): InputDetails | undefined {
  return Object(state).unanswered;
}

/** Waits for the answer to a question whose call has ended, before the call is sent again. */
async function answerLater(
  details: InputDetails,
  { sent, context }: { sent: SentCall; context: ToolCallContext },
): Promise<Answered> {
  const request: InputRequest = { details, isLive: true, ended: new Promise(() => undefined) };
  const answer = answerOf(await context.ask(questionOf(request, { sent, context })));
  return { question: JSON.stringify(details), answer };
}

interface AskOptions {
  readonly attempt: Attempt;
  readonly answered: Answered[];
  readonly sent: SentCall;
  readonly context: ToolCallContext;
}

async function ask(request: InputRequest, options: AskOptions): Promise<InputAnswer> {
  const { attempt, answered, context } = options;
  const { details, isLive } = request;
  if (details.mode === 'roots') return { action: 'answer', value: context.inputs?.().roots() ?? [] };
  const question = JSON.stringify(details);
  const index = attempt.known.findIndex((known) => known.question === question);
  const [known] = index < 0 ? [] : attempt.known.splice(index, 1);
  if (known) return known.answer;
  if (attempt.isReleased) return CANCEL;
  const decision = await (isLive ? askLive(request, options) : context.ask(questionOf(request, options)));
  if (!decision) return CANCEL;
  const given = answerOf(decision);
  // The answer of a model has placeholders.
  const answer = details.mode === 'sampling' ? await restoredAnswer(given, options) : given;
  answered.push({ question, answer });
  return answer;
}

async function restoredAnswer(answer: InputAnswer, { sent, context }: AskOptions): Promise<InputAnswer> {
  const { server, id: tool } = sent.target.tool;
  const { args } = await context.redactor.restoreArguments({ value: answer.value }, { tool, server });
  return { ...answer, ...('value' in args ? { value: args.value } : {}) };
}

/** Asks while the server waits. Returns nothing when it gets no answer: its call ends, and the question stays open. */
async function askLive(request: InputRequest, options: AskOptions): Promise<DecisionEntry | undefined> {
  const { attempt, context } = options;
  let settle: (end: QuestionEnd) => void = () => undefined;
  const settled = new Promise<QuestionEnd>((resolve) => {
    settle = resolve;
  });
  let release: () => void = () => undefined;
  const released = new Promise<undefined>((resolve) => {
    release = () => {
      attempt.isReleased = true;
      resolve(undefined);
    };
  });
  void request.ended.then((action) => (action === 'cancel' ? release() : settle({ action })));
  const question = questionOf(request, options);
  const decision = context.ask({
    ...question,
    ended: question.ended ? Promise.race([settled, question.ended]) : settled,
    async release() {
      release();
      const end = new Promise<void>((resolve) => {
        attempt.onEnd = resolve;
        if (attempt.hasEnded) resolve();
      });
      await Promise.race([end, sleep(END_MS, undefined, { ref: false }).then(() => stop(attempt))]);
    },
  });
  attempt.open = { details: request.details, decision, settle, fail: request.fail };
  const found = await Promise.race([decision, released]).catch(() => undefined);
  if (found) delete attempt.open;
  return found;
}

function stop(attempt: Attempt): void {
  if (attempt.hasEnded) return;
  attempt.isStopped = true;
  attempt.open?.fail?.(new ToolwrightError('CANCELLED', 'The server did not end the call.'));
}

function questionOf(
  { details, isLive, ended: done }: InputRequest,
  { sent, context }: { sent: SentCall; context: ToolCallContext },
): CallQuestion {
  const { call, restored, target } = sent;
  const byModel = details.mode === 'sampling' ? context.inputs?.().sample(details) : undefined;
  const byServer = done.then((action): QuestionEnd | Promise<never> =>
    action === 'answer' ? { action, by: target.tool.server } : new Promise(() => undefined),
  );
  return {
    kind: 'input',
    call,
    tool: target.tool,
    args: restored.args,
    details: isLive ? { ...details, isLive } : details,
    ended: byModel ?? byServer,
  };
}

function answerOf({ action, value }: DecisionEntry): InputAnswer {
  if (action === 'answer') return { action, value };
  return action === 'decline' ? { action } : CANCEL;
}

/** Answers one request of an attempt after the other. */
function askInTurn(request: InputRequest, options: AskOptions): Promise<InputAnswer> {
  const { attempt } = options;
  const next = (attempt.last ?? Promise.resolve()).then(() => ask(request, options));
  attempt.last = next.catch(() => undefined);
  return next;
}

function outcomeUnknown({ target: { tool } }: SentCall): ToolwrightError {
  const message = `${tool.server} asked a question during the call of ${tool.id} and did not end the call when it got no answer, so the outcome is unknown. Check at the server whether it took effect before you call it again.`;
  return new ToolwrightError('OUTCOME_UNKNOWN', message, { details: { tool: tool.id } });
}
