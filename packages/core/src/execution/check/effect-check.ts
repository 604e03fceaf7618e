import { setImmediate as nextTurn } from 'node:timers/promises';
import { type OtherTexts, readPlaceholders } from '@toolwright/pii/internal';
import type { PreparedSource } from '@toolwright/sandbox';
import { ToolwrightError } from '../../errors.ts';
import type { SentCall } from '../../tool-calls/call.ts';
import type { Execution } from '../execution.ts';
import { isComputed, readsNoText, SAME_TEXTS, waitingDiffers } from '../outcome/second-run.ts';
import { textOperations } from '../outcome/text-operations.ts';

/** The check of calls that may have an effect, before they are sent. */
export interface EffectCheck {
  /** Starts with a prepared program. */
  begin(execution: Execution, prepared: PreparedSource): void;
  /**
   * Raises `PII_DENIED` for a call that the program makes otherwise with other values of its placeholders: it was computed from their text.
   * Checks the first, second, fourth and eighth call of a tool, and so on. Each check is one more run of the program.
   */
  requireUncomputed(sent: SentCall): Promise<void>;
}

type Differs = (texts: OtherTexts) => Promise<boolean | undefined>;

/** A run can fail for a reason of this machine. So a call is refused only if a run with the same texts does not differ, and another one does. */
async function othersDiffer({ values }: Execution, differs: Differs): Promise<boolean | undefined> {
  const others = await values.standIns();
  return (await differs(others)) && (await differs(SAME_TEXTS)) === false ? await differs(others) : false;
}

/** The host computed expressions with the values. So only the values show whether the call is the one for them. */
async function valuesDiffer({ values }: Execution, differs: Differs): Promise<boolean | undefined> {
  const check = await values.openCheck();
  if (!check) return undefined;
  const isDifferent = (await differs(check)) === true && (await differs(check)) === true;
  await check.end(isDifferent);
  return isDifferent;
}

/** Creates the check of one execution. */
export function createEffectCheck(): EffectCheck {
  let begun: { readonly execution: Execution; readonly prepared: PreparedSource } | undefined;
  let running: Promise<void> = Promise.resolve();
  const counts = new Map<string, number>();
  /** The requests that were compared. */
  const compared = new Map<number, boolean | undefined>();

  /** Compares all requests that wait now: calls that the program makes at once share a run. */
  const compare = async ({ execution, prepared }: NonNullable<typeof begun>, request: number) => {
    await running.catch(() => undefined);
    if (compared.has(request)) return compared.get(request);
    const run = execution.trace.read();
    if (!run || readsNoText(prepared, run) || !execution.journal.canReplay()) return undefined;
    const now = { ...run, answered: [...run.answered], notices: [...run.notices], unanswered: new Map(run.unanswered) };
    const differs = (texts: typeof SAME_TEXTS) => waitingDiffers(texts, execution, now);
    const isDifferent = isComputed(run)
      ? await valuesDiffer(execution, differs)
      : await othersDiffer(execution, differs);
    for (const id of now.unanswered.keys()) compared.set(id, isDifferent);
    return isDifferent;
  };
  return {
    begin(execution, prepared) {
      // Placeholders that the author wrote would stay in a run with other texts.
      if (!prepared.passesData && readPlaceholders(execution.source).length === 0) begun = { execution, prepared };
    },
    async requireUncomputed({ call: { request }, target: { tool } }) {
      if (!begun?.execution.values.hasPlaceholders() || request === undefined || tool.definition.isLocal) return;
      const count = (counts.get(tool.id) ?? 0) + 1;
      counts.set(tool.id, count);
      if (!Number.isInteger(Math.log2(count)) && compared.get(request) === undefined) return;
      await nextTurn();
      const comparing = compare(begun, request);
      running = comparing.then(() => undefined);
      if ((await comparing) !== true) return;
      const { source, context } = begun.execution;
      const message = `${tool.id} was not called. ${textOperations(source, context.language.name)}`;
      throw new ToolwrightError('PII_DENIED', message, { details: { tool: tool.id } });
    },
  };
}
