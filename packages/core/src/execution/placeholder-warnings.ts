import type { Unmatched } from '@toolwright/pii/internal';
import type { Attempt, Execution } from './execution.ts';
import { describeError } from './failure.ts';
import { compareWithStandIns } from './stand-in-run.ts';

const INSTEAD =
  "Compare with await pii.match(value, { endsWith: '…' }), or read a fact with await pii.derive(value, 'domain').";
const NOT_CHECKED = 'Whether the result depends on the text of placeholders was not checked';

/**
 * Returns warnings for a program whose result depends on the text of placeholders, and not on the values. None for a program that
 * received no placeholders, or that was stopped.
 */
export async function placeholderWarnings(
  execution: Execution,
  { ending }: Pick<Attempt, 'ending'>,
): Promise<string[]> {
  const { values, context } = execution;
  if (!values.hasPlaceholders() || !('outcome' in ending) || ending.outcome.status === 'stopped') return [];
  try {
    const unmatched = await values.unmatched();
    return [...unmatched.map(literalWarning), ...(await standInWarnings(execution, ending.outcome))];
  } catch (error) {
    const { message } = describeError(error, context.onDefect);
    return [`${NOT_CHECKED}: ${message}`];
  }
}

function literalWarning({ literal, placeholder, reason }: Unmatched): string {
  const text = JSON.stringify(literal);
  if (reason === 'part') {
    return `The program has ${text}, which is a part of [${placeholder}]. A comparison of the two finds nothing, because the program has no values. ${INSTEAD}`;
  }
  const type = placeholder.replace(/_\d+$/, '');
  return `The program has ${text}, and values of the type ${type} cannot be compared: the policy (pii.policy.derivations) does not allow "match" for it. A comparison with [${placeholder}] is false.`;
}

async function standInWarnings(
  execution: Execution,
  outcome: Parameters<typeof compareWithStandIns>[3],
): Promise<string[]> {
  const run = execution.trace.read();
  if (!run) return [`${NOT_CHECKED}: the program sent and received too much.`];
  if (!execution.journal.canReplay()) return [`${NOT_CHECKED}: the program depends on more than its answers.`];
  const compared = await compareWithStandIns(execution, execution.values, run, outcome);
  if (compared.status === 'identical') return [];
  const { what, line } = compared.difference;
  const where = line === undefined ? '' : `Line ${line}: `;
  const effect = what === 'request' ? 'sends something else' : 'has another result or other logs';
  return [
    `${where}The program computes with the text of a placeholder. With other texts of the same form it ${effect}, so the answer is not the one for the values. ${INSTEAD}`,
  ];
}
