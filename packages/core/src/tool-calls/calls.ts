import { setMaxListeners } from 'node:events';
import { callLeft } from '@toolwright/connectors';
import type { Room } from '@toolwright/sandbox';
import { createSlots } from '@toolwright/sandbox/internal';
import type { Limits } from '../config/sections/limits.ts';
import { ToolwrightError } from '../errors.ts';
import type { ToolCallRecord } from '../journal/call-record.ts';
import type {
  Arguments,
  CallRecords,
  EarlierCall,
  OpenRecord,
  ToolCall,
  ToolCallContext,
  ToolProgress,
} from './call.ts';
import { limitName } from './checks.ts';
import { runToolCall } from './pipeline.ts';

/** Warnings about the results of one execution. */
const MAX_WARNINGS = 20;
/** The reason of each end. Most executions have no call that needs it, and the stack of an error takes long. */
const ENDED = new ToolwrightError('CANCELLED', 'The execution has ended.');

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

/** The parts of an execution that all its calls need. */
type SharedContext = Omit<
  ToolCallContext,
  'signal' | 'records' | 'record' | 'results' | 'room' | 'isRaw' | 'warn' | 'onToolProgress'
>;

export interface ToolCallsOptions extends SharedContext {
  readonly limits: Limits;
  /** Receives warnings about results, each once. */
  readonly onWarning: (text: string) => void;
  /** Called when the program makes more calls than `limits.toolCalls`. */
  readonly onTooMany: () => void;
  /** Receives each progress report of a tool. */
  readonly onToolProgress?:
    | ((report: ToolProgress & { readonly call: number; readonly tool: string }) => void)
    | undefined;
  /** The calls of an execution that is continued. */
  readonly earlier?: EarlierCalls | undefined;
  /** Called when a call starts. */
  readonly onCall?: ((call: { readonly number: number; readonly tool: string }) => void) | undefined;
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
  const { limits, earlier, onTooMany, onCall, onToolProgress } = options;
  const records = createRecords(earlier?.records);
  const callSlots = createSlots(limits.parallelCalls);
  const ending = new AbortController();
  const { signal } = ending;
  // Every running call listens, and limits.parallelCalls bounds their number.
  setMaxListeners(0, signal);
  const warn = createWarnings(options.onWarning);
  // A copy that sets members is fast, and one that adds them takes a hundred times as long.
  const shared = {
    ...options,
    ...{ signal, warn, records, results: createSlots(1) },
    ...{ record: undefined, room: undefined, isRaw: undefined, onToolProgress: undefined },
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
      const turn = callSlots.enter();
      if (turn) await turn;
      let record: OpenRecord | undefined;
      try {
        const space = room();
        if (space) await space;
        signal.throwIfAborted();
        const call: ToolCall = { number, tool, args, request, earlier: before };
        record = records.open(call);
        onCall?.({ number, tool });
        const onProgress =
          onToolProgress && ((report: ToolProgress) => onToolProgress({ call: number, tool, ...report }));
        return await runToolCall(call, { ...shared, record, room, isRaw, onToolProgress: onProgress });
      } catch (error) {
        const code = error instanceof ToolwrightError ? error.code : 'INTERNAL';
        if (record && !signal.aborted) records.close(record, 'failed', code);
        throw error;
      } finally {
        callSlots.leave();
      }
    },
    records: records.list,
    close(isLeft = false) {
      callSlots.close();
      ending.abort(isLeft ? callLeft() : ENDED);
    },
  };
}

/** Returns a function that passes each warning on once. */
export function createWarnings(onWarning: (text: string) => void): ToolCallContext['warn'] {
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

/** Creates a list of records. `earlier` are those of an execution that is continued. */
export function createRecords(earlier: readonly ToolCallRecord[] = []): CallRecords {
  const records: OpenRecord[] = [];
  const starts: number[] = [];
  for (const record of earlier) records[record.number - 1] = { ...record };
  return {
    open({ number, tool }) {
      const record: OpenRecord = {
        number,
        tool,
        status: 'unanswered',
        durationMs: 0,
        argumentBytes: 0,
        resultBytes: 0,
      };
      records[number - 1] = record;
      starts[number - 1] = performance.now();
      return record;
    },
    close(record, status, code) {
      record.status = status;
      record.durationMs = Math.round((performance.now() - (starts[record.number - 1] ?? 0)) * 1_000) / 1_000;
      if (code !== undefined) record.code = code;
    },
    list() {
      const list: ToolCallRecord[] = [];
      for (const record of records) if (record) list.push({ ...record });
      return list;
    },
  };
}
