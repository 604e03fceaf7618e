import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { callLeft } from '@toolwright/connectors';
import type { Room } from '@toolwright/sandbox';
import { createSlots } from '@toolwright/sandbox/internal';
import type { Limits } from '../config/sections/limits.ts';
import { ToolwrightError } from '../errors.ts';
import { type CallJournal, createRecords, type ToolCallRecord } from '../journal/call-record.ts';
import type { Arguments, EarlierCall, ToolCall, ToolCallContext, ToolProgress } from './call.ts';
import { isLong, limitName } from './limit.ts';
import { runToolCall } from './pipeline.ts';

/** Warnings about the results of one execution. */
const MAX_WARNINGS = 20;

/** The tool calls of one execution. */
export interface ToolCalls {
  /**
   * Runs one call of the guest's request with this id. Awaits `room` before it sends the call and before it processes the result. Returns the result as JSON text.
   * Raises `CANCELLED` after the last allowed call and after `close`.
   */
  call(tool: string, args: Arguments, room: Room, request?: number, isRaw?: boolean): Promise<string>;
  records(): readonly ToolCallRecord[];
  /**
   * Cancels running calls and refuses waiting ones. Nothing is journalled from then on. With `isLeft`, the execution goes on later, and
   * tasks of servers are not cancelled.
   */
  close(isLeft?: boolean): void;
}

export interface ToolCallsOptions
  extends Pick<
    ToolCallContext,
    | 'catalog'
    | 'resources'
    | 'journal'
    | 'redactor'
    | 'language'
    | 'userId'
    | 'clientHeaders'
    | 'names'
    | 'policy'
    | 'origins'
    | 'ask'
    | 'startLogin'
    | 'onTaskWait'
    | 'inputs'
    | 'dryRun'
    | 'approved'
    | 'requireUncomputed'
  > {
  readonly limits: Limits;
  /** Receives warnings about results, each once. */
  readonly onWarning: (text: string) => void;
  /** Called when the program makes more calls than `limits.toolCalls`. */
  readonly onTooMany: () => void;
  /** Called immediately before a call is journalled and sent. An error that it throws refuses the call. */
  readonly beforeCall?: (() => void) | undefined;
  /** Receives each progress report of a tool. */
  readonly onToolProgress?:
    | ((report: ToolProgress & { readonly call: number; readonly tool: string }) => void)
    | undefined;
  /** The calls of an execution that is continued. */
  readonly earlier?: EarlierCalls | undefined;
  /** Called when a call starts. */
  readonly onCall?: (call: { readonly number: number; readonly tool: string }) => void;
}

/** The calls of an execution before it was continued. */
export interface EarlierCalls {
  /** The number of all calls. */
  readonly count: number;
  /** The records of the calls whose answers the program received. */
  readonly records: readonly ToolCallRecord[];
  /** Returns a call without an answer that the program received, by the id of its request. */
  find(request: number): EarlierCall | undefined;
}

/** Creates the tool calls of one execution: numbers and records them, and runs at most `limits.parallelCalls` at once. */
export function createToolCalls(options: ToolCallsOptions): ToolCalls {
  const { limits, earlier, onTooMany, onCall } = options;
  const records = createRecords(earlier?.records);
  const callSlots = createSlots(limits.parallelCalls);
  const resultSlots = createSlots(1);
  const ending = new AbortController();
  const { signal } = ending;
  // Every running call listens, and limits.parallelCalls bounds their number.
  setMaxListeners(0, signal);
  const context = {
    ...contextOf(options),
    journal: guarded(options.journal, options.beforeCall),
    signal,
    warn: createWarnings(options.onWarning),
  };

  const run = async (call: ToolCall, room: Room, isRaw?: boolean): Promise<string> => {
    signal.throwIfAborted();
    const record = records.open(call);
    onCall?.({ number: call.number, tool: call.tool });
    const inTurn = (work: () => Promise<string>) =>
      resultSlots.run(async () => {
        const space = room();
        if (space) await space;
        signal.throwIfAborted();
        const text = await work();
        record.close('answered');
        if (isLong(text)) await nextTurn();
        return text;
      });
    try {
      const answer = call.earlier?.answer;
      if (answer) return await inTurn(async () => answerOf(answer));
      const onToolProgress = progressOf(call, options);
      return await runToolCall(call, { ...context, record, inTurn, isRaw, onToolProgress });
    } catch (error) {
      const code = error instanceof ToolwrightError ? error.code : 'INTERNAL';
      if (!signal.aborted) record.close('failed', code);
      throw error;
    }
  };

  let count = earlier?.count ?? 0;
  return {
    async call(tool, args, room, request, isRaw) {
      limitName(tool);
      const before = request === undefined ? undefined : earlier?.find(request);
      const number = before?.number ?? ++count;
      if (number > limits.toolCalls) {
        onTooMany();
        throw tooManyCalls(limits.toolCalls);
      }
      return callSlots.run(async () => {
        const space = room();
        if (space) await space;
        return run({ number, tool, args, request, earlier: before }, room, isRaw);
      });
    },
    records: records.list,
    close(isLeft = false) {
      callSlots.close();
      ending.abort(isLeft ? callLeft() : new ToolwrightError('CANCELLED', 'The execution has ended.'));
    },
  };
}

function progressOf({ number, tool }: ToolCall, { onToolProgress }: ToolCallsOptions) {
  return onToolProgress && ((report: ToolProgress) => onToolProgress({ call: number, tool, ...report }));
}

/** Returns the parts of the options that each call needs. */
function contextOf(options: ToolCallsOptions) {
  const { catalog, resources, redactor, limits, language, userId, names } = options;
  const { clientHeaders, policy, ask, startLogin, onTaskWait, inputs, dryRun, approved } = options;
  const { requireUncomputed, origins } = options;
  return {
    catalog,
    resources,
    redactor,
    limits,
    language,
    userId,
    clientHeaders,
    names,
    policy,
    ask,
    startLogin,
    onTaskWait,
    inputs,
    dryRun,
    approved,
    requireUncomputed,
    origins,
  };
}

/** Returns a function that passes each warning on once. */
function createWarnings(onWarning: (text: string) => void): ToolCallContext['warn'] {
  const warnings = new Set<string>();
  return (text, kind = text) => {
    if (warnings.size >= MAX_WARNINGS || warnings.has(kind)) return;
    warnings.add(kind);
    onWarning(text);
  };
}

function tooManyCalls(most: number): ToolwrightError {
  const message = `The execution made more than ${most} tool calls. Make fewer calls, or split the work over several executions.`;
  return new ToolwrightError('CANCELLED', message);
}

/** Returns a journal that refuses a call which `beforeCall` refuses. */
function guarded(journal: CallJournal, beforeCall: (() => void) | undefined): CallJournal {
  return {
    begin(call) {
      beforeCall?.();
      journal.begin(call);
    },
    pause: (entry) => journal.pause(entry),
    resend(number) {
      beforeCall?.();
      journal.resend(number);
    },
    end: (answer) => journal.end(answer),
    flushed: () => journal.flushed(),
  };
}

/** Returns the answer that the program did not receive. Raises its error. */
function answerOf(answer: NonNullable<EarlierCall['answer']>): string {
  if (answer.ok) return answer.text;
  const { code, message } = JSON.parse(answer.text);
  throw new ToolwrightError(code ?? 'INTERNAL', message);
}
