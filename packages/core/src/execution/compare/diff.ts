import { isDeepStrictEqual } from 'node:util';
import type { LogLine } from '@toolwright/sandbox';
import { exactText, parseWithDigits } from '@toolwright/sandbox/internal';
import { createTwoFilesPatch, diffArrays } from 'diff';
import { MAX_VALUE_BYTES } from '../../journal/calls.ts';
import type { RecordedCall, Recording } from '../../journal/recording/recording.ts';
import type { ExecutionRecord } from '../executions.ts';
import type { CallDifference, ComparedCall, ComparedOutcome, ExecutionDiff, LogDifference } from './differences.ts';

/** An execution to compare: its journal, and its record. */
export interface Compared {
  readonly recording: Recording;
  readonly record: ExecutionRecord;
}

/** Above this number of changes, entries are aligned by their places: the cost of an exact alignment grows with its square. */
const MAX_EDITS = 4_000;
/** Programs with more changed lines have no diff. */
const MAX_PROGRAM_EDITS = 2_000;

/** Compares two executions: their programs, calls with arguments and answers, their logs and their outcomes. */
export function diffExecutions(before: Compared, after: Compared): ExecutionDiff {
  const calls = diffCalls(callsOf(before), callsOf(after));
  const logs = diffLogs(before.record, after.record);
  const outcome = { before: outcomeOf(before.record), after: outcomeOf(after.record) };
  const hasSameEnd = isDeepStrictEqual(outcome.before, outcome.after);
  const isIdentical = calls.length === 0 && logs.length === 0 && hasSameEnd;
  return {
    status: isIdentical ? 'identical' : 'different',
    ...programDifference(before.record.source, after.record.source),
    calls,
    logs,
    outcome: hasSameEnd ? undefined : outcome,
  };
}

function programDifference(before: string, after: string) {
  if (before === after) return {};
  const options = { maxEditLength: MAX_PROGRAM_EDITS };
  const diff = createTwoFilesPatch('before', 'after', before, after, '', '', options);
  return { program: { diff } };
}

interface Call {
  readonly call: RecordedCall;
  /** Equal for calls with the same tool and arguments. */
  readonly key: string;
}

/** An entry of one of two lists, or the same entry of both. */
type Row<T> = readonly [before: T | undefined, after: T | undefined];

function callsOf({ recording }: Compared): Call[] {
  return [...recording.calls.values()]
    .sort((a, b) => a.number - b.number)
    .map((call) => ({ call, key: `${call.tool} ${exactText(call.arguments)}` }));
}

/** Aligns calls with the same arguments first, and the others by their tools. */
function diffCalls(before: readonly Call[], after: readonly Call[]): CallDifference[] {
  const sameCall = (a: Call, b: Call) => a.key === b.key;
  const sameTool = (a: Call, b: Call) => a.call.tool === b.call.tool;
  const rows = align(before, after, sameCall, (removed, added) => align(removed, added, sameTool, apart));
  return rows.flatMap(([old, now]): CallDifference[] => {
    if (old && now) {
      const isSame = old.key === now.key && answerKey(old.call) === answerKey(now.call);
      return isSame ? [] : [{ change: 'changed', before: comparedCall(old.call), after: comparedCall(now.call) }];
    }
    if (old) return [{ change: 'removed', before: comparedCall(old.call) }];
    return now ? [{ change: 'added', after: comparedCall(now.call) }] : [];
  });
}

function diffLogs(before: ExecutionRecord, after: ExecutionRecord): LogDifference[] {
  if (!before.result || !after.result) return [];
  const sameLine = (a: LogLine, b: LogLine) => a.level === b.level && a.text === b.text;
  return align(before.result.logs, after.result.logs, sameLine, apart).flatMap(([old, now]): LogDifference[] => {
    if (old && now) return [];
    if (old) return [{ change: 'removed', ...old }];
    return now ? [{ change: 'added', ...now }] : [];
  });
}

/** Aligns two lists in their order. `rest` aligns the entries between two aligned ones. */
function align<T>(
  before: readonly T[],
  after: readonly T[],
  comparator: (a: T, b: T) => boolean,
  rest: (removed: readonly T[], added: readonly T[]) => Row<T>[],
): Row<T>[] {
  const parts = diffArrays([...before], [...after], { comparator, maxEditLength: MAX_EDITS });
  if (!parts) return rest(before, after);
  const rows: Row<T>[] = [];
  let [from, to, old, now] = [0, 0, 0, 0];
  const settle = () => {
    if (from < old || to < now) rows.push(...rest(before.slice(from, old), after.slice(to, now)));
  };
  for (const { added, removed, count } of parts) {
    if (removed) old += count;
    else if (added) now += count;
    else {
      settle();
      for (let step = 0; step < count; step++) rows.push([before[old++], after[now++]]);
      [from, to] = [old, now];
    }
  }
  settle();
  return rows;
}

function apart<T>(removed: readonly T[], added: readonly T[]): Row<T>[] {
  return [...removed.map((old): Row<T> => [old, undefined]), ...added.map((now): Row<T> => [undefined, now])];
}

function answerKey({ answer }: RecordedCall): string {
  return answer ? `${answer.ok} ${answer.text}` : '';
}

/** Returns a call for a person. Longer values are left out; their sizes are there. */
function comparedCall({ number, tool, arguments: args, answer }: RecordedCall): ComparedCall {
  const argumentBytes = Buffer.byteLength(exactText(args));
  const resultBytes = Buffer.byteLength(answer?.text ?? '');
  return {
    number,
    tool,
    outcome: answer ? (answer.ok ? 'answered' : 'failed') : 'unanswered',
    arguments: argumentBytes > MAX_VALUE_BYTES ? undefined : args,
    argumentBytes,
    result: answer && resultBytes <= MAX_VALUE_BYTES ? parseWithDigits(answer.text) : undefined,
    resultBytes: answer ? resultBytes : undefined,
  };
}

/** Returns the outcome of an execution without its own id, which is in the preview of a long result. */
function outcomeOf({ id, status, result }: ExecutionRecord): ComparedOutcome {
  if (result?.status === 'completed') return { status, value: withoutId(result.value, id) };
  if (result?.status !== 'failed') return { status };
  const { code, name, message, line } = result.error;
  const error = { code, name, message: String(withoutId(message, id)), line };
  return { status, error };
}

function withoutId(value: unknown, id: string): unknown {
  return typeof value === 'string' ? value.replaceAll(id, 'ID') : value;
}
