import { parseWithDigits } from '@toolwright/sandbox/internal';
import type { ShownOrigin } from '../config/policy/origins/words.ts';
import type { JournalReader } from './storages/storage.ts';

/** The default limit of a value in a list of calls. A larger one is left out; its size is there. */
export const MAX_VALUE_BYTES: number = 16 * 1024;

/** One tool call of a journal. */
export interface CallRecord {
  /** From 1, in the order of the program. */
  readonly number: number;
  readonly tool: string;
  readonly startedAt: string;
  /** Redacted. Absent over the limit. */
  readonly arguments?: unknown;
  readonly argumentBytes: number;
  /** The line of the program, from 1. Known for the first calls only. */
  readonly line?: number;
  /** The origins of the arguments in words, where the policy depends on them. */
  readonly origins?: readonly ShownOrigin[];
  /** Set for a call of a dry run that was not sent: its answer is invented. */
  readonly isInvented?: true;
  /** Absent for a call without an answer. */
  readonly answer?: {
    readonly ok: boolean;
    readonly at: string;
    /** The result, or the error, redacted. Absent over the limit. */
    readonly value?: unknown;
    readonly bytes: number;
  };
}

/** The calls that {@link readCalls} reads. */
export interface CallSelection {
  /** The first number. */
  readonly from: number;
  /** The most calls. */
  readonly limit: number;
  /** Ids of tools. Default: all tools, and then the last number is `from + limit - 1`. */
  readonly tools?: ReadonlySet<string> | undefined;
  /** Default: {@link MAX_VALUE_BYTES}. */
  readonly maxValueBytes?: number | undefined;
}

/** Reads calls of a journal, by number. Reads it in pages, because it may be larger than memory. */
export async function readCalls(journals: JournalReader, id: string, selection: CallSelection): Promise<CallRecord[]> {
  const calls = new Map<number, CallRecord>();
  for await (const page of journals.read(id)) for (const line of page) addLine(calls, line, selection);
  return [...calls.values()].sort((a, b) => a.number - b.number);
}

function addLine(calls: Map<number, CallRecord>, line: string, selection: CallSelection): void {
  const { from, limit, tools, maxValueBytes = MAX_VALUE_BYTES } = selection;
  if (line.startsWith('{"entry":"call"')) {
    const isSelected = (number: number, tool: string) =>
      number >= from && (tools ? tools.has(tool) && calls.size < limit : number < from + limit);
    const { head, value, bytes } = split(line, ',"arguments":', maxValueBytes);
    const { number, tool, at, line: place, plan, origins } = Object(head);
    const invented = plan?.isInvented === true ? { isInvented: true as const } : {};
    if (!isSelected(number, tool)) return;
    const args = { arguments: value };
    const known = origins === undefined ? {} : { origins };
    const placed = typeof place === 'number' ? { line: place } : {};
    calls.set(number, { number, tool, startedAt: at, ...placed, ...known, ...args, argumentBytes: bytes, ...invented });
  } else if (line.startsWith('{"entry":"answer"')) {
    const { head, value, bytes } = split(line, ',"result":', maxValueBytes);
    const { number, ok, at } = Object(head);
    const call = calls.get(number);
    if (call) calls.set(number, { ...call, answer: { ok, at, value, bytes } });
  }
}

/** Splits a line into its head and its last member, which is parsed only within the limit. */
function split(line: string, name: string, maxValueBytes: number): { head: unknown; value?: unknown; bytes: number } {
  const at = line.indexOf(name);
  const text = line.slice(at + name.length, -1);
  const bytes = Buffer.byteLength(text);
  try {
    const head: unknown = JSON.parse(`${line.slice(0, at)}}`);
    return { head, bytes, value: bytes > maxValueBytes ? undefined : parseWithDigits(text) };
  } catch {
    // A line that somebody has changed: the call was not sent, or its answer is unknown.
    return { head: undefined, bytes: 0 };
  }
}
