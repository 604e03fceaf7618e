import type { Decisions } from '../journal/decisions.ts';
import type { DecisionEntry } from '../journal/entries.ts';
import type { Journal } from '../journal/journal.ts';
import type { Recording } from '../journal/recording.ts';
import type { AskPerson } from '../tool-calls/call.ts';
import { bindingOf } from './call-binding.ts';
import { createGrants } from './grants.ts';
import { type OpenQuestionsOptions, openQuestions, type PendingQuestion } from './open-questions.ts';

export interface QuestionsOptions extends Omit<OpenQuestionsOptions, 'journal' | 'grants'> {
  readonly userId: string;
  readonly journal: Pick<Journal, 'ask' | 'decide'>;
  /** The key of the journals. */
  readonly key: Buffer;
  readonly decisions: Pick<Decisions, 'find' | 'forget' | 'onDecision'>;
  /** The questions of an execution that is continued. */
  readonly earlier: Pick<Recording, 'questions' | 'granted'>;
  readonly redactArguments: (args: unknown) => Promise<unknown>;
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

/** Creates the questions of an execution. A decision holds for one question, with its exact user, tool and arguments. */
export function createQuestions(options: QuestionsOptions): Questions {
  const { executionId, journal, decisions, earlier, now } = options;
  const grants = createGrants(earlier);
  const open = openQuestions({ ...options, grants });

  return {
    async ask(asked) {
      const { number, request = 0, args } = asked.call;
      const { binding, toolBinding } = bindingOf(asked, options);
      const before = earlier.questions.get(request);
      const isSame = before?.binding === binding && before.kind === asked.kind;
      if (isSame && before.decision) return before.decision;
      if (isSame) return open.wait(before, asked.args);
      const covering = asked.kind === 'approval' ? grants.use(number, toolBinding, asked.args) : undefined;
      if (covering !== undefined) {
        const decision: DecisionEntry = { number, action: 'approve', grant: covering };
        journal.decide(decision);
        return decision;
      }
      // A decision about this call that is there belongs to other arguments or another tool.
      decisions.forget(executionId, number);
      const question = {
        ...{ number, request, kind: asked.kind, tool: asked.tool.id },
        ...(asked.rule === undefined ? {} : { rule: asked.rule }),
        arguments: await options.redactArguments(args),
        ...{ binding, toolBinding, expiresMs: now() + options.expireMs },
      };
      journal.ask(question);
      return open.wait(question, asked.args);
    },
    pending: open.pending,
    close: open.close,
  };
}
