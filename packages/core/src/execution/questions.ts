import { fingerprintOf } from '../catalog/fingerprint.ts';
import { ToolwrightError } from '../errors.ts';
import type { Decisions } from '../journal/decisions.ts';
import type { DecisionEntry, QuestionEntry } from '../journal/entries.ts';
import { codeOf } from '../journal/integrity.ts';
import type { Journal } from '../journal/journal.ts';
import type { Recording } from '../journal/recording.ts';
import type { AskPerson, CallQuestion } from '../tool-calls/question.ts';
import { createGrants } from './grants.ts';
import type { Waits } from './waits.ts';

/** A question that waits for a decision, for the person who decides. Its arguments are redacted. */
export type PendingQuestion = Pick<QuestionEntry, 'kind' | 'tool' | 'rule' | 'arguments'> & {
  /** Number of the call. */
  readonly call: number;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
};

export interface QuestionsOptions {
  readonly executionId: string;
  readonly userId: string;
  readonly journal: Pick<Journal, 'ask' | 'decide'>;
  /** The key of the journals. */
  readonly key: Buffer;
  readonly decisions: Pick<Decisions, 'find' | 'forget' | 'onDecision'>;
  readonly waits: Pick<Waits, 'begin'>;
  /** The questions of an execution that is continued. */
  readonly earlier: Pick<Recording, 'questions' | 'granted'>;
  readonly redactArguments: (args: unknown) => Promise<unknown>;
  /** Milliseconds for which a question stays open. */
  readonly expireMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives each new question. */
  readonly onQuestion: (question: PendingQuestion) => void;
}

/** The questions of one execution. */
export interface Questions {
  readonly ask: AskPerson;
  /** Returns the open questions. */
  pending(): readonly PendingQuestion[];
  /** Rejects all open questions: the execution ends or is suspended. */
  close(): void;
}

interface OpenQuestion {
  readonly question: Omit<QuestionEntry, 'mac'>;
  look(): void;
  reject(error: Error): void;
}

/** Timers of Node hold 2^31 - 1 ms. */
const MAX_TIMER_MS = 2_147_483_647;

/** Creates the questions of an execution. A decision holds for one question, with its exact user, tool and arguments. */
export function createQuestions(options: QuestionsOptions): Questions {
  const { executionId, journal, decisions, waits, earlier, now, onQuestion } = options;
  const open = new Map<number, OpenQuestion>();
  const grants = createGrants(earlier);
  /** The real arguments of open questions. */
  const real = new Map<number, unknown>();
  const lookAtAll = () => {
    for (const { look } of [...open.values()]) look();
  };
  const forget = decisions.onDecision((id) => {
    if (id === executionId) lookAtAll();
  });

  const wait = (question: Omit<QuestionEntry, 'mac'>) =>
    new Promise<DecisionEntry>((resolve, reject) => {
      const { number, kind, expiresMs, binding, toolBinding } = question;
      const end = waits.begin({ kind, untilMs: expiresMs });
      let timer: NodeJS.Timeout | undefined;
      const settle = (decision: DecisionEntry) => {
        open.delete(number);
        clearTimeout(timer);
        try {
          journal.decide(decision);
          grants.add(decision, toolBinding);
          resolve(decision);
          lookAtAll();
        } catch (error) {
          reject(error);
        } finally {
          end();
        }
      };
      const look = () => {
        clearTimeout(timer);
        const covering = kind === 'approval' ? grants.use(number, toolBinding, real.get(number)) : undefined;
        if (covering !== undefined) return settle({ number, action: 'approve', grant: covering });
        const found = decisions.find(executionId, number);
        if (found && found.binding === binding) settle(entryOf(found));
        else if (now() >= expiresMs) settle({ number, action: 'expired' });
        else timer = setTimeout(look, Math.min(expiresMs - now(), MAX_TIMER_MS)).unref();
      };
      const close = (error: Error) => {
        open.delete(number);
        clearTimeout(timer);
        end();
        reject(error);
      };
      open.set(number, { question, look, reject: close });
      look();
      if (open.has(number)) onQuestion(pendingOf(question));
    });

  return {
    async ask(asked) {
      const { request = 0 } = asked.call;
      const binding = bindingOf(asked, options);
      const { number } = asked.call;
      const toolBinding = codeOf(options.key, options.userId, fingerprintOf([asked.tool]));
      const before = earlier.questions.get(request);
      const isSame = before?.binding === binding && before.kind === asked.kind;
      if (isSame && before.decision) return before.decision;
      real.set(number, asked.args);
      if (isSame) return wait(before);
      const covering = asked.kind === 'approval' ? grants.use(number, toolBinding, asked.args) : undefined;
      if (covering !== undefined) {
        const decision: DecisionEntry = { number, action: 'approve', grant: covering };
        journal.decide(decision);
        return decision;
      }
      decisions.forget(executionId, number);
      const question = {
        number,
        request,
        kind: asked.kind,
        tool: asked.tool.id,
        ...(asked.rule === undefined ? {} : { rule: asked.rule }),
        arguments: await options.redactArguments(asked.call.args),
        binding,
        toolBinding,
        expiresMs: now() + options.expireMs,
      };
      journal.ask(question);
      return wait(question);
    },
    pending: () => [...open.values()].map(({ question }) => pendingOf(question)),
    close() {
      forget();
      const ended = new ToolwrightError('CANCELLED', 'The execution has ended.');
      for (const { reject } of [...open.values()]) reject(ended);
    },
  };
}

/** Returns a question for a person. */
export function pendingOf({
  number,
  kind,
  tool,
  rule,
  arguments: args,
  expiresMs,
}: Omit<QuestionEntry, 'mac'>): PendingQuestion {
  return {
    call: number,
    kind,
    tool,
    ...(rule === undefined ? {} : { rule }),
    arguments: args,
    expiresAt: new Date(expiresMs).toISOString(),
  };
}

function bindingOf({ tool, args }: CallQuestion, { key, userId }: Pick<QuestionsOptions, 'key' | 'userId'>): string {
  return codeOf(key, userId, fingerprintOf([tool]), JSON.stringify(args));
}

function entryOf({ number, action, by, note, value, covers }: DecisionEntry): DecisionEntry {
  return {
    number,
    action,
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
    ...(value === undefined ? {} : { value }),
    ...(covers === undefined ? {} : { covers }),
  };
}
