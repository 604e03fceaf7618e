import type { BarredLiteral } from '@toolwright/pii/internal';
import type { GuestOutcome } from '@toolwright/sandbox';
import type { Attempt, Execution } from '../execution.ts';
import { describeError } from './failure.ts';
import { differsWith } from './second-run.ts';
import { textOperations } from './text-operations.ts';

const NOT_CHECKED = 'Whether the result depends on the text of placeholders was not checked';
/** Literals of restricted types that are named. */
const MAX_BARRED = 5;

/**
 * Returns warnings for a program whose result depends on the text of placeholders, and not on the values. None for a program that
 * received no placeholders, or that was stopped.
 */
export async function placeholderWarnings(
  execution: Execution,
  { ending, prepared }: Pick<Attempt, 'ending' | 'prepared'>,
): Promise<string[]> {
  const { values, context } = execution;
  if (!values.hasPlaceholders() || !('outcome' in ending) || ending.outcome.status === 'stopped') return [];
  try {
    const barred = await values.barredLiterals();
    const warning = prepared?.passesData ? undefined : await computesWithPlaceholders(execution, ending.outcome);
    return [...barred.slice(0, MAX_BARRED).map(barredWarning), ...(warning === undefined ? [] : [warning])];
  } catch (error) {
    const { message } = describeError(error, context.onDefect);
    return [`${NOT_CHECKED}: ${message}`];
  }
}

function barredWarning({ literal, type }: BarredLiteral): string {
  return `The program has ${JSON.stringify(literal)}, and values of the type ${type} cannot be compared: the policy (pii.policy.derivations) does not allow "match" for it. A comparison with [${type}_…] is false.`;
}

/**
 * Returns the warning for a program that computes with the text of placeholders. Stand-ins find most of them and reveal nothing. The
 * values find the others: comparisons that are false for the placeholders and for the stand-ins.
 */
async function computesWithPlaceholders(execution: Execution, outcome: GuestOutcome): Promise<string | undefined> {
  const { values, source, context } = execution;
  const run = execution.trace.read();
  if (!run) return `${NOT_CHECKED}: the program sent and received too much.`;
  if (!execution.journal.canReplay()) return `${NOT_CHECKED}: the program depends on more than its answers.`;
  const warning = textOperations(source, context.language.name);
  if (await differsWith(await values.standIns(), execution, run, outcome)) return warning;
  const check = await values.openCheck();
  if (!check)
    return `${NOT_CHECKED}: the programs of this session have shown as much of its values as checks may. Start a new session.`;
  const isDifferent = await differsWith(check, execution, run, outcome);
  await check.end(isDifferent);
  return isDifferent ? warning : undefined;
}
