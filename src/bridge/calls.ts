import { setMaxListeners } from 'node:events';
import { messageOf, ToolwrightError } from '../errors.ts';
import type { Limits } from '../execution/limits.ts';
import type { Catalog } from '../tools/catalog.ts';
import type { CallJournal, ToolCallRecord } from './record.ts';
import { createSlots } from './slots.ts';

/** The tool calls of one execution. */
export interface ToolCalls {
  /** Makes one call; resolves to the result as JSON text. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  records(): readonly ToolCallRecord[];
  /** Cancels what is in flight and refuses what waits. */
  close(): void;
}

export interface ToolCallsOptions {
  readonly catalog: Catalog;
  readonly journal: CallJournal;
  readonly limits: Limits;
  /** Called when the guest makes more calls than it may. */
  readonly onTooMany: () => void;
  readonly onCall?: (call: { readonly number: number; readonly tool: string }) => void;
}

/** Passes a guest's calls on to the catalog: counted, bounded, journalled, at most `parallelCalls` at once. */
export function createToolCalls({ catalog, journal, limits, onTooMany, onCall }: ToolCallsOptions): ToolCalls {
  const records: ToolCallRecord[] = [];
  const slots = createSlots(limits.parallelCalls);
  const ending = new AbortController();
  // Every call in flight listens to it, and their number has a limit of its own.
  setMaxListeners(0, ending.signal);

  const send = async (number: number, tool: string, args: Readonly<Record<string, unknown>>): Promise<string> => {
    const text = JSON.stringify(args);
    const argumentBytes = Buffer.byteLength(text);
    const started = performance.now();
    const record = (status: ToolCallRecord['status'], resultBytes: number, code?: string) => {
      const durationMs = Math.round((performance.now() - started) * 1_000) / 1_000;
      records[number - 1] = { number, tool, status, durationMs, argumentBytes, resultBytes, ...(code ? { code } : {}) };
    };
    try {
      if (argumentBytes > limits.callArgumentBytes)
        throw argumentsTooLarge(tool, argumentBytes, limits.callArgumentBytes);
      record('unanswered', 0);
      onCall?.({ number, tool });
      journal.begin({ number, tool, arguments: text });
      const result = JSON.stringify((await catalog.call(tool, args, { signal: ending.signal })) ?? null);
      const resultBytes = Buffer.byteLength(result);
      journal.end({ number, ok: true, result });
      record('answered', resultBytes);
      if (resultBytes <= limits.callResultBytes) return result;
      throw resultTooLarge(tool, resultBytes, limits.callResultBytes);
    } catch (error) {
      const known = error instanceof ToolwrightError ? error : undefined;
      if (ending.signal.aborted) throw error;
      record('failed', 0, known?.code ?? 'INTERNAL');
      journal.end({ number, ok: false, result: JSON.stringify({ code: known?.code, message: messageOf(error) }) });
      throw error;
    }
  };

  let count = 0;
  return {
    async call(tool, args) {
      const number = ++count;
      if (number > limits.toolCalls) {
        onTooMany();
        throw new ToolwrightError('CANCELLED', `The execution may make ${limits.toolCalls} tool calls.`);
      }
      await slots.take();
      try {
        return await send(number, tool, args);
      } finally {
        slots.free();
      }
    },
    records: () => records.filter(Boolean),
    close() {
      slots.close();
      ending.abort(new ToolwrightError('CANCELLED', 'The execution has ended.'));
    },
  };
}

function argumentsTooLarge(tool: string, bytes: number, limit: number): ToolwrightError {
  const message = `The arguments of ${tool} have ${bytes} bytes, the limit is ${limit}. Send less at once.`;
  return new ToolwrightError('ARGUMENTS_TOO_LARGE', message);
}

function resultTooLarge(tool: string, bytes: number, limit: number): ToolwrightError {
  const message = `${tool} answered with ${bytes} bytes, the limit is ${limit}. The call took effect; ask for less, by page or by filter.`;
  return new ToolwrightError('TOOL_RESULT_TOO_LARGE', message);
}
