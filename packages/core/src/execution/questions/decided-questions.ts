import type { DecisionAction, DecisionEntry, QuestionKind } from '../../journal/entries.ts';
import type { Decisions } from '../../journal/questions/decisions.ts';
import type { RecordedQuestion, RecordedQuestions } from '../../journal/recording/recording.ts';

/** A question with its decision, for a person. The answer to a server and the result of a call are not in it. */
export interface DecidedQuestion {
  /** Number of the call. */
  readonly call: number;
  /** Number of the question within its call, from 1. Default: 1. */
  readonly question?: number;
  readonly kind: QuestionKind;
  readonly tool: string;
  readonly action: DecisionAction;
  /** The person, or the program of the embedder. */
  readonly by?: string;
  /** The reason, for the program. */
  readonly note?: string;
  /** ISO 8601, UTC. */
  readonly at?: string;
}

/** Returns the questions of a journal that have a decision there, or one that the execution has not applied yet. */
export async function decidedQuestions(
  id: string,
  { questions }: RecordedQuestions,
  decisions: Decisions,
): Promise<DecidedQuestion[]> {
  const asked = [...questions.values()].flat();
  const decided: DecidedQuestion[] = [];
  for (const question of asked) {
    const decision = question.decision ?? (await unapplied(id, question, decisions));
    if (decision) decided.push(decidedOf(question, decision, asked));
  }
  return decided.sort((a, b) => a.call - b.call);
}

async function unapplied(id: string, { number, question, binding }: RecordedQuestion, decisions: Decisions) {
  const found = await decisions.find(id, number, question);
  return found?.binding === binding ? found : undefined;
}

function decidedOf(
  { number, question, kind, tool }: RecordedQuestion,
  decision: DecisionEntry & { readonly at?: string },
  asked: readonly RecordedQuestion[],
): DecidedQuestion {
  // The person who approved an earlier call with the next ones has decided about this one too.
  const covering = asked.find((other) => other.number === decision.grant)?.decision;
  const { action, at } = decision;
  const { by, note } = covering ?? decision;
  return {
    call: number,
    kind,
    tool,
    action,
    question,
    by,
    note,
    at,
  };
}
