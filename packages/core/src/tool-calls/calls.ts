import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Redactor } from '@toolwright/pii/internal';
import { createSlots } from '@toolwright/sandbox/internal';
import type { Catalog } from '../catalog/catalog.ts';
import type { Tool, ToolLanguage } from '../catalog/tool.ts';
import { ToolwrightError } from '../errors.ts';
import type { Limits } from '../execution/limits.ts';
import type { CallJournal, ToolCallRecord } from './record.ts';

/** Longer names are not looked up, nor written to the journal. */
const MAX_NAME_CHARACTERS = 1_000;
const LARGE_ANSWER_BYTES = 256 * 1024;

/** The tool calls of one execution. */
export interface ToolCalls {
  /** Makes one call, once there is room for its answer; resolves to the result as JSON text. */
  call(tool: string, args: Readonly<Record<string, unknown>>, room: () => Promise<void>): Promise<string>;
  records(): readonly ToolCallRecord[];
  /** Cancels what is in flight and refuses what waits. */
  close(): void;
}

export interface ToolCallsOptions {
  readonly catalog: Catalog;
  readonly journal: CallJournal;
  readonly redactor: Redactor;
  readonly limits: Limits;
  /** The language of the program. */
  readonly language: ToolLanguage;
  /** Called when the guest makes more calls than it may. */
  readonly onTooMany: () => void;
  readonly onCall?: (call: { readonly number: number; readonly tool: string }) => void;
}

/** Passes a guest's calls on to the catalog: counted, bounded, journalled, at most `parallelCalls` at once, and guarded. */
export function createToolCalls(options: ToolCallsOptions): ToolCalls {
  const { catalog, journal, redactor, limits, language, onTooMany, onCall } = options;
  const records: ToolCallRecord[] = [];
  const slots = createSlots(limits.parallelCalls);
  // One answer is written down after another, and large ones leave the process time for others.
  const answers = createSlots(1);
  const ending = new AbortController();
  // Every call in flight listens to it, and their number has a limit of its own.
  setMaxListeners(0, ending.signal);

  /** Calls the tool with the values behind the arguments. What it says of its failure may hold some, too. */
  const ask = async (tool: string, args: Readonly<Record<string, unknown>>) => {
    let called: Tool | undefined;
    const source = () => ({ server: called?.server ?? '', schema: called?.definition.outputSchema });
    let state: 'given' | 'restored' | 'sent' = 'given';
    try {
      const data = await catalog.call(tool, args, {
        signal: ending.signal,
        language,
        async restore(guestValue, found) {
          called = found;
          const restored = await redactor.restoreArguments(guestValue, { tool: found.id, server: found.server });
          state = 'restored';
          return restored;
        },
        onSend: () => {
          state = 'sent';
        },
      });
      return { data, from: source(), called };
    } catch (error) {
      if (state === 'given' || !(error instanceof ToolwrightError) || ending.signal.aborted) throw error;
      const publicError = { message: error.message, details: error.details };
      // What we say of arguments names placeholders as the program wrote them; what a tool says may only look like one.
      const { guestValue } =
        state === 'sent'
          ? await redactor.redactResult(publicError, source())
          : { guestValue: await redactor.redact(publicError) };
      const { message, details } = guestValue as Pick<ToolwrightError, 'message' | 'details'>;
      throw new ToolwrightError(error.code, message, { details });
    }
  };

  const send = async (
    number: number,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    room: () => Promise<void>,
  ): Promise<string> => {
    const text = JSON.stringify(args);
    const argumentBytes = Buffer.byteLength(text);
    const started = performance.now();
    let resultBytes = 0;
    const record = (status: ToolCallRecord['status'], code?: string) => {
      const durationMs = Math.round((performance.now() - started) * 1_000) / 1_000;
      records[number - 1] = { number, tool, status, durationMs, argumentBytes, resultBytes, ...(code ? { code } : {}) };
    };
    try {
      ending.signal.throwIfAborted();
      if (argumentBytes > limits.callArgumentBytes)
        throw argumentsTooLarge(tool, argumentBytes, limits.callArgumentBytes);
      record('unanswered');
      onCall?.({ number, tool });
      const journalValue = await redactor.redactForJournal({ tool, args });
      ending.signal.throwIfAborted();
      journal.begin({
        number,
        tool: journalValue.tool,
        arguments: journalValue.args === args ? text : JSON.stringify(journalValue.args),
      });
      const { data, from, called } = await ask(tool, args);
      return await answers.run(async () => {
        await room();
        // An answer that comes after the end goes nowhere: the journal is closed.
        ending.signal.throwIfAborted();
        resultBytes = Buffer.byteLength(JSON.stringify(data ?? null));
        if (resultBytes > limits.callResultBytes) throw resultTooLarge(tool, resultBytes, limits.callResultBytes);
        const { guestValue, journalValue } = await redactor.redactResult(data ?? null, from);
        if (called) catalog.observe(called, journalValue);
        ending.signal.throwIfAborted();
        const text = JSON.stringify(guestValue);
        journal.end({ number, ok: true, result: guestValue === journalValue ? text : JSON.stringify(journalValue) });
        record('answered');
        if (resultBytes > LARGE_ANSWER_BYTES) await setImmediate();
        return text;
      });
    } catch (error) {
      const known = error instanceof ToolwrightError ? error : undefined;
      if (ending.signal.aborted) throw error;
      record('failed', known?.code ?? 'INTERNAL');
      const message = known ? await redactor.redactForJournal(known.message).catch(() => 'withheld') : 'Internal error';
      if (!ending.signal.aborted)
        journal.end({ number, ok: false, result: JSON.stringify({ code: known?.code, message }) });
      throw error;
    }
  };

  let count = 0;
  return {
    async call(tool, args, room) {
      if (tool.length > MAX_NAME_CHARACTERS) {
        const message = `A tool's name has at most ${MAX_NAME_CHARACTERS} characters.`;
        throw new ToolwrightError('UNKNOWN_TOOL', message);
      }
      const number = ++count;
      if (number > limits.toolCalls) {
        onTooMany();
        throw new ToolwrightError('CANCELLED', `The execution may make ${limits.toolCalls} tool calls.`);
      }
      return slots.run(async () => {
        await room();
        return send(number, tool, args, room);
      });
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
