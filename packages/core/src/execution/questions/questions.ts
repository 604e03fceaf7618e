import type { Redactor } from '@toolwright/pii/internal';
import { withDigits } from '@toolwright/sandbox/internal';
import type { PendingQuestion } from '../../history/result.ts';
import type { DecisionEntry, QuestionKind } from '../../journal/entries.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Decisions } from '../../journal/questions/decisions.ts';
import { questionNumber } from '../../journal/recording/recorded-entries.ts';
import type { RecordedQuestion, RecordedQuestions, Recording } from '../../journal/recording/recording.ts';
import type { AskPerson } from '../../tool-calls/call.ts';
import type { LastingDecisions } from '../lasting-decisions/lasting-decisions.ts';
import type { ServerBinding } from './call-binding.ts';
import { bindingOf, isSameServer } from './call-binding.ts';
import { createGrants } from './grants.ts';
import { type OpenQuestionsOptions, openQuestions } from './open-questions.ts';

interface QuestionsOptions extends Omit<OpenQuestionsOptions, 'journal' | 'grants'> {
  readonly userId: string;
  readonly journal: Journal;
  /** The key of the journals. */
  readonly key: Buffer;
  readonly decisions: Decisions;
  /** The approvals of earlier executions that last. */
  readonly lasting: LastingDecisions | undefined;
  /** The questions of an execution that is continued. */
  readonly earlier: RecordedQuestions;
  readonly redactor: Redactor;
  /** Milliseconds for which a question stays open. */
  readonly expireMs: number;
}

/** The questions of one execution. */
export interface Questions {
  readonly ask: AskPerson;
  /** Returns the open questions. */
  pending(): readonly PendingQuestion[];
  /** Rejects all open questions: the execution ends or is suspended. */
  close(): void;
}

/** The codes by which a question is the same as a recorded one. */
interface SameQuestion extends ServerBinding {
  readonly kind: QuestionKind;
  readonly binding: string;
}

/** The numbers of the questions of each call, and those that the journal has. */
interface QuestionsOfCalls {
  /**
   * Returns the next recorded question of a request that is the same, once. It has a decision in the journal or by `isDecided`, or it is
   * the last one of its call. Undefined if there is none: the question is new.
   */
  take(
    request: number,
    question: SameQuestion,
    isDecided: (question: number) => Promise<boolean>,
  ): Promise<RecordedQuestion | undefined>;
  /** Returns whether the last recorded question of a request is about another server behind the same name. */
  isOfOtherServer(request: number, question: ServerBinding): boolean;
  /** Returns the number of a new question of a request. */
  next(request: number): number;
}

/** Creates the questions of an execution. A decision holds for one question, with its exact user, tool and arguments. */
export function createQuestions(options: QuestionsOptions): Questions {
  const { executionId, journal, decisions, earlier, redactor, dueTimes } = options;
  const grants = createGrants(earlier);
  const asked = questionsOfCalls(earlier.questions);
  const open = openQuestions({ ...options, grants });

  const redacted = async (details: unknown, server: string) =>
    (await redactor.redactResult(details, { server, schema: undefined })).journalValue;

  return {
    async ask({ kind, call, tool, args: realArguments, rule, origins, scope, details, ended, release }) {
      const { number, request = 0, args } = call;
      const codes = bindingOf({ tool, args: realArguments, details, scope }, options);
      const { binding } = codes;
      const isDecided = async (question: number) =>
        (await decisions.find(executionId, number, question))?.binding === binding;
      const before = await asked.take(request, { kind, ...codes }, isDecided);
      if (before?.decision) return before.decision;
      if (before) return open.wait(before, { args: realArguments, ended, release });
      const covering = kind === 'approval' ? grants.use(number, codes, realArguments) : undefined;
      if (covering !== undefined) {
        const decision: DecisionEntry = { number, action: 'approve', grant: covering };
        journal.decide(decision);
        return decision;
      }
      const own = asked.next(request);
      // A decision that is there belongs to a question of which the journal has nothing.
      await decisions.forget(executionId, number, own);
      const question = {
        number,
        request,
        kind,
        tool: tool.id,
        question: own === 1 ? undefined : own,
        ...ruleOf(rule, asked.isOfOtherServer(request, codes)),
        origins,
        arguments: withDigits(await redactor.redactForJournal(args)),
        ...(details === undefined ? {} : { details: await redacted(details, tool.server), realDetails: details }),
        ...codes,
        expiresMs: dueTimes.dueIn(options.expireMs),
      };
      journal.ask(question);
      // Nobody decides about a question that a crash may lose.
      await journal.flushed();
      // A store that does not answer leaves the question to a person.
      const lasting =
        kind === 'approval'
          ? await options.lasting?.find(options.userId, codes, realArguments).catch(() => undefined)
          : undefined;
      if (lasting) {
        const nth = own === 1 ? {} : { question: own };
        const by = { by: lasting.by, note: `always: ${lasting.id}` };
        await decisions.add({
          executionId,
          number,
          ...nth,
          binding,
          action: 'approve',
          at: new Date().toISOString(),
          ...by,
        });
      }
      return open.wait(question, { args: realArguments, ended, release });
    },
    pending: open.pending,
    close: open.close,
  };
}

/** Returns the rule that asks, with the reason for which an earlier answer holds no longer. */
function ruleOf(rule: string | undefined, isOfOtherServer: boolean): { readonly rule?: string } {
  const reason = 'the server of this tool has another command or address than when this was asked before';
  if (isOfOtherServer) return { rule: rule === undefined ? reason : `${rule}; ${reason}` };
  return { rule };
}

/** Creates the questions of the calls of an execution, with those that its journal has. */
function questionsOfCalls(recorded: Recording['questions']): QuestionsOfCalls {
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
