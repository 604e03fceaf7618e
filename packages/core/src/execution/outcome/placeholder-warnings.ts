import type { GuestOutcome } from '@toolwright/sandbox';
import type { Attempt, Execution } from '../execution.ts';
import { describeError } from './failure.ts';
import { computedPlace, differsWith, isComputed, readsBarred, readsNoText } from './second-run.ts';
import { textOperations } from './text-operations.ts';

/** Places that a note names. */
const MAX_PLACES = 10;
const NOT_CHECKED = 'Whether the result depends on the text of placeholders was not checked';
const NO_ANSWERS = `${NOT_CHECKED}: the checks of programs with these values have shown as much as they may in a year.`;
const NO_END = `${NOT_CHECKED}: the run for the comparison was stopped before its end. Such a run has 5 seconds.`;

/**
 * Returns warnings for a program whose result depends on the text of placeholders, and not on the values. None for a program that
 * received no placeholders, or that was stopped.
 */
export async function placeholderWarnings(execution: Execution, { ending, prepared }: Attempt): Promise<string[]> {
  const { values, context } = execution;
  if (!values.hasPlaceholders() || !('outcome' in ending) || ending.outcome.status === 'stopped') return [];
  try {
    const warning = prepared?.passesData
      ? undefined
      : await computesWithPlaceholders(execution, ending.outcome, prepared);
    const refused = values.refusedLiterals().map(refusedLiterals);
    return warning === undefined ? refused : [...refused, warning];
  } catch (error) {
    const { message } = describeError(error, context.onDefect);
    return [`${NOT_CHECKED}: ${message}`];
  }
}

/** Returns the note about the expressions of a program that the host computed; undefined if there are none. */
export function computedExpressions({ trace }: Execution): string | undefined {
  if (!trace.hasComputed()) return undefined;
  const places = [...new Set(trace.read()?.answered.flatMap(({ requestText }) => computedPlace(requestText) ?? []))];
  if (places.length === 0) return undefined;
  const named = [...places.slice(0, MAX_PLACES), ...(places.length > MAX_PLACES ? ['…'] : [])];
  return `The host computed with the values of placeholders where the program does (${named.join(', ')}).`;
}

function refusedLiterals(shape: string): string {
  return `The literals of the program that are ${shape} are compared with no value, because there are too many of them: comparisons with them are false. Use at most 48 of one form, or read the list from a tool or a file and compare the values of both.`;
}

function barredOperation(operation: string, names: readonly string[]): string {
  const types = [...new Set(names.map((name) => name.replace(/_\d+$/, '')))].join(', ');
  return `The program reads the text of a restricted placeholder (${operation}), so the answer is not the one for the values. Types: ${types}. Programs can pass these placeholders on, compare them with each other, and read pii.derive(value, 'mask'). The operator can allow more in pii.policy.derivations.`;
}

/**
 * Returns the warning for a program that computes with the text of placeholders. Stand-ins find most of them and reveal nothing. The
 * values find the others: comparisons that are false for the placeholders and for the stand-ins.
 */
async function computesWithPlaceholders(
  execution: Execution,
  outcome: GuestOutcome,
  prepared: Attempt['prepared'],
): Promise<string | undefined> {
  const { values, source, context } = execution;
  const run = execution.trace.read();
  if (prepared && readsNoText(prepared, execution.trace)) return undefined;
  if (!run) return `${NOT_CHECKED}: the program sent and received too much.`;
  if (!execution.journal.canReplay()) return `${NOT_CHECKED}: the program depends on more than its answers.`;
  const barred = await values.barredPlaceholders();
  const operation = barred.names.length > 0 ? await readsBarred(barred, execution, run, outcome) : 'none';
  if (operation === undefined) return NO_END;
  if (operation !== 'none') return barredOperation(operation, barred.names);
  const warning = textOperations(source, context.language.name);
  // The host computes the rewritten expressions with the values, so stand-ins differ.
  const withOthers = isComputed(run) ? false : await differsWith(await values.standIns(), execution, run, outcome);
  if (withOthers !== false) return withOthers ? warning : NO_END;
  const check = await values.openCheck(source);
  if (!check) return NO_ANSWERS;
  const isDifferent = await differsWith(check, execution, run, outcome);
  // Whether the run with the values ends is an answer about them, too.
  if (!(await check.end(isDifferent))) return NO_ANSWERS;
  return isDifferent === undefined ? NO_END : isDifferent ? warning : undefined;
}
