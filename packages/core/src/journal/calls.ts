import type { JournalReader } from './storages/storage.ts';

/** A value over this limit is left out of a list of calls; its size is there. */
export const MAX_VALUE_BYTES: number = 16 * 1024;

/** One tool call of a journal. */
export interface CallRecord {
  /** From 1, in the order of the program. */
  readonly number: number;
  readonly tool: string;
  readonly startedAt: string;
  /** Redacted. Absent over {@link MAX_VALUE_BYTES}. */
  readonly arguments?: unknown;
  readonly argumentBytes: number;
  /** Set for a call of a dry run that was not sent: its answer is invented. */
  readonly isInvented?: true;
  /** Absent for a call without an answer. */
  readonly answer?: {
    readonly ok: boolean;
    readonly at: string;
    /** The result, or the error, redacted. Absent over {@link MAX_VALUE_BYTES}. */
    readonly value?: unknown;
    readonly bytes: number;
  };
}

/**
 * Reads the calls of a journal with numbers from `from` to `to`, by number. Reads it in pages, because it may be larger than
 * memory.
 */
export async function readCalls(
  journals: Pick<JournalReader, 'read'>,
  id: string,
  from: number,
  to: number,
): Promise<CallRecord[]> {
  const calls = new Map<number, CallRecord>();
  for await (const page of journals.read(id)) for (const line of page) addLine(calls, line, from, to);
  return [...calls.values()].sort((a, b) => a.number - b.number);
}

function addLine(calls: Map<number, CallRecord>, line: string, from: number, to: number): void {
  if (line.startsWith('{"entry":"call"')) {
    const { head, value, bytes } = split(line, ',"arguments":');
    const { number, tool, at, plan } = Object(head);
    const invented = plan?.isInvented === true ? { isInvented: true as const } : {};
    if (!(number >= from && number <= to)) return;
    const args = value === undefined ? {} : { arguments: value };
    calls.set(number, { number, tool, startedAt: at, ...args, argumentBytes: bytes, ...invented });
  } else if (line.startsWith('{"entry":"answer"')) {
    const { head, value, bytes } = split(line, ',"result":');
    const { number, ok, at } = Object(head);
    const call = calls.get(number);
    if (call) calls.set(number, { ...call, answer: { ok, at, ...(value === undefined ? {} : { value }), bytes } });
  }
}

/** Splits a line into its head and its last member, which is parsed only within the limit. */
function split(line: string, name: string): { head: unknown; value?: unknown; bytes: number } {
  const at = line.indexOf(name);
  const text = line.slice(at + name.length, -1);
  const bytes = Buffer.byteLength(text);
  try {
    const head: unknown = JSON.parse(`${line.slice(0, at)}}`);
    return { head, bytes, ...(bytes > MAX_VALUE_BYTES ? {} : { value: JSON.parse(text) }) };
  } catch {
    // A line that somebody has changed: the call was not sent, or its answer is unknown.
    return { head: undefined, bytes: 0 };
  }
}
