import { setImmediate as nextTurn } from 'node:timers/promises';
import { type OtherTexts, readPlaceholders } from '@toolwright/pii/internal';
import type { PreparedSource } from '@toolwright/sandbox';
import { ToolwrightError } from '../../errors.ts';
import type { SentCall } from '../../tool-calls/call.ts';
import type { Execution } from '../execution.ts';
import type { TracedRun } from '../guest/trace.ts';
import { describeError } from '../outcome/failure.ts';
import { isComputed, readsNoText, SAME_TEXTS, waitingDiffers } from '../outcome/second-run.ts';
import { textOperations } from '../outcome/text-operations.ts';

/** The check of calls that may have an effect, before they are sent. */
export interface EffectCheck {
  /** Starts with a prepared program. */
  begin(execution: Execution, prepared: PreparedSource): void;
  /**
   * Raises `PII_DENIED` for a call that the program makes otherwise with other values of its placeholders: it was computed from their text.
   * So it does if the call cannot be compared. Checks the first, second, fourth and eighth call of a tool, and so on. Each check is one
   * more run of the program.
   */
  requireUncomputed(sent: SentCall): Promise<void> | undefined;
}

type Differs = (texts: OtherTexts) => Promise<boolean | undefined>;

/** Whether calls differ with other texts. A text: the reason why nobody knows. */
type Finding = boolean | string;

const NO_END =
  'the run for the comparison did not end within the time limit of the program. Run it again, let it do less before this call, or raise limits.timeoutMs.';
const NOT_REPEATABLE =
  'the program does not do the same again. Let it make its calls one after the other, without timers.';
const TOO_LONG = 'the program sent and received too much before this call. Read less in one program.';
const NO_ANSWERS =
  'the checks of programs with these values have shown as much as they may. Pass the values on, or compute with pii.transform.';

/** A run can fail for a reason of this machine. So a call differs only if a run with the same texts does not differ, and another one does. */
async function othersDiffer({ values }: Execution, differs: Differs): Promise<Finding> {
  const others = await values.standIns();
  const first = await differs(others);
  if (!first) return first ?? NO_END;
  const same = await differs(SAME_TEXTS);
  if (same !== false) return same === undefined ? NO_END : NOT_REPEATABLE;
  return (await differs(others)) ?? NO_END;
}

/** The host computed expressions with the values. So only the values show whether the call is the one for them. */
async function valuesDiffer({ values, source }: Execution, differs: Differs): Promise<Finding> {
  const check = await values.openCheck(source);
  if (!check) return NO_ANSWERS;
  const first = await differs(check);
  const isDifferent = first && (await differs(check));
  // Whether the run ends is an answer about the values, too.
  if (!(await check.end(isDifferent))) return NO_ANSWERS;
  return isDifferent ?? NO_END;
}

/** Returns whether the waiting calls of a run differ with other texts. */
async function findingOf(execution: Execution, run: TracedRun): Promise<Finding> {
  if (!execution.journal.canReplay()) return 'the program depends on more than its answers, or its journal is full.';
  const now = { ...run, answered: [...run.answered], notices: [...run.notices], unanswered: new Map(run.unanswered) };
  try {
    const differs = (texts: OtherTexts) => waitingDiffers(texts, execution, now);
    return await (isComputed(run) ? valuesDiffer(execution, differs) : othersDiffer(execution, differs));
  } catch (error) {
    return describeError(error, execution.context.onDefect).message;
  }
}

/** Creates the check of one execution. */
export function createEffectCheck(): EffectCheck {
  let begun: { readonly execution: Execution; readonly prepared: PreparedSource } | undefined;
  let running: Promise<void> = Promise.resolve();
  const counts = new Map<string, number>();
  /** The requests that were compared. */
  const compared = new Map<number, Finding>();

  /** Compares all requests that wait now: calls that the program makes at once share a run. */
  const compare = async ({ execution, prepared }: NonNullable<typeof begun>, request: number): Promise<Finding> => {
    await running.catch(() => undefined);
    const known = compared.get(request);
    if (known !== undefined || readsNoText(prepared, execution.trace)) return known ?? false;
    const run = execution.trace.read();
    if (!run) return TOO_LONG;
    const waiting = [...run.unanswered.keys()];
    const finding = await findingOf(execution, run);
    for (const id of waiting) compared.set(id, finding);
    return finding;
  };
  return {
    begin(execution, prepared) {
      // Placeholders that the author wrote would stay in a run with other texts.
      if (!prepared.passesData && readPlaceholders(execution.source).length === 0) begun = { execution, prepared };
    },
    requireUncomputed({ call: { request }, target: { tool } }) {
      if (!begun?.execution.values.hasPlaceholders() || request === undefined || tool.definition.isLocal) return;
      const count = (counts.get(tool.id) ?? 0) + 1;
      counts.set(tool.id, count);
      if (!Number.isInteger(Math.log2(count)) && compared.get(request) === undefined) return;
      return check(begun, request, tool.id);
    },
  };

  async function check(checked: NonNullable<typeof begun>, request: number, tool: string): Promise<void> {
    await nextTurn();
    const comparing = compare(checked, request);
    running = comparing.then(() => undefined);
    const finding = await comparing;
    if (finding === false) return;
    const { source, context } = checked.execution;
    const reason =
      finding === true
        ? textOperations(source, context.language.name)
        : `Nobody knows whether its arguments depend on the text of placeholders: ${finding}`;
    throw new ToolwrightError('PII_DENIED', `${tool} was not called. ${reason}`, { details: { tool } });
  }
}
