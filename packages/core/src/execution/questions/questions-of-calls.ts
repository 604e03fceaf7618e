import type { QuestionEntry } from '../../journal/entries.ts';
import { questionNumber } from '../../journal/recording/recorded-entries.ts';
import type { RecordedQuestion, Recording } from '../../journal/recording/recording.ts';
import { isSameServer } from './call-binding.ts';

/** The numbers of the questions of each call, and those that the journal has. */
export interface QuestionsOfCalls {
  /**
   * Returns the next recorded question of a request that is the same, once. It has a decision in the journal or by `isDecided`, or it is
   * the last one of its call. Undefined if there is none: the question is new.
   */
  take(
    request: number,
    question: Pick<QuestionEntry, 'kind' | 'binding' | 'serverBinding'>,
    isDecided: (question: number) => Promise<boolean>,
  ): Promise<RecordedQuestion | undefined>;
  /** Returns whether the last recorded question of a request is about another server behind the same name. */
  isOfOtherServer(request: number, question: Pick<QuestionEntry, 'serverBinding'>): boolean;
  /** Returns the number of a new question of a request. */
  next(request: number): number;
}

/** Creates the questions of the calls of an execution, with those that its journal has. */
export function questionsOfCalls(recorded: Recording['questions']): QuestionsOfCalls {
  const taken = new Set<RecordedQuestion>();
  const last = new Map<number, number>();
  const lastOf = (request: number) =>
    last.get(request) ?? Math.max(0, ...(recorded.get(request) ?? []).map(questionNumber));
  return {
    async take(request, asked, isDecided) {
      const number = lastOf(request);
      for (const question of recorded.get(request) ?? []) {
        const isSame =
          question.kind === asked.kind && question.binding === asked.binding && isSameServer(question, asked);
        if (taken.has(question) || question.isUsed || !isSame) continue;
        const nth = questionNumber(question);
        if (question.decision === undefined && nth !== number && !(await isDecided(nth))) continue;
        taken.add(question);
        return question;
      }
      return undefined;
    },
    isOfOtherServer(request, asked) {
      const before = recorded.get(request)?.at(-1);
      return before !== undefined && !isSameServer(before, asked);
    },
    next(request) {
      const number = lastOf(request) + 1;
      last.set(request, number);
      return number;
    },
  };
}
