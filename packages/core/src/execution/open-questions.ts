import { MAX_TIMER_MS } from '../config/setting.ts';
import { ToolwrightError } from '../errors.ts';
import type { Decisions } from '../journal/decisions.ts';
import type { DecisionEntry, QuestionEntry } from '../journal/entries.ts';
import type { Journal } from '../journal/journal.ts';
import type { CallQuestion } from '../tool-calls/call.ts';
import type { Grants } from './grants.ts';
import type { Waits } from './waits.ts';

/**
 * A question that waits for a decision, for the person who decides. Its arguments and details are redacted. `question` is its number
 * within the call, if it is not the first one.
 */
export type PendingQuestion = Pick<
  QuestionEntry,
  'kind' | 'question' | 'tool' | 'rule' | 'arguments' | 'details' | 'binding'
> & {
  /** Number of the call. */
  readonly call: number;
  /** ISO 8601, UTC. Absent within the execution that asks. */
  readonly askedAt?: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
};

export interface OpenQuestionsOptions {
  readonly executionId: string;
  readonly journal: Pick<Journal, 'decide'>;
  readonly decisions: Pick<Decisions, 'find' | 'forget' | 'onDecision'>;
  readonly waits: Pick<Waits, 'begin'>;
  readonly grants: Grants;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives each new question, with the real arguments of its call. */
  readonly onQuestion: (question: AskedQuestion, args: unknown) => void;
}

/** The questions of one execution that wait for a decision. */
export interface OpenQuestions {
  /** Resolves to the decision about a question, after its journal entry. */
  wait(question: AskedQuestion, asking: Asking): Promise<DecisionEntry>;
  pending(): readonly PendingQuestion[];
  /** Rejects all questions: the execution ends or is suspended. */
  close(): void;
}

/** The call that asks. */
export interface Asking {
  readonly ended: CallQuestion['ended'] | undefined;
  readonly release: CallQuestion['release'] | undefined;
  /** Its real arguments. */
  readonly args: unknown;
}

type AskedQuestion = Omit<QuestionEntry, 'mac'>;

interface OpenQuestion {
  readonly question: AskedQuestion;
  /** Looks for a decision. */
  look(): void;
  reject(error: Error): void;
}

/** Creates the open questions of an execution. */
export function openQuestions(options: OpenQuestionsOptions): OpenQuestions {
  const { executionId, journal, decisions, waits, grants, now, onQuestion } = options;
  const open = new Map<number, OpenQuestion>();
  const lookAtAll = () => {
    for (const { look } of [...open.values()]) look();
  };
  let forget: (() => void) | undefined;
  /** Begins with the first question, so that an execution without one watches no folder. */
  const watch = () => {
    forget ??= decisions.onDecision((id) => {
      if (id === executionId) lookAtAll();
    });
  };
  /** Returns the decision about a question that holds now. */
  const decisionOf = (question: AskedQuestion, args: unknown): DecisionEntry | undefined => {
    const { number, kind, binding, toolBinding, expiresMs } = question;
    const nth = nthOf(question);
    const grant = kind === 'approval' ? grants.use(number, toolBinding, args) : undefined;
    if (grant !== undefined) return { number, ...nth, action: 'approve', grant };
    const found = decisions.find(executionId, number, question.question);
    if (found?.binding === binding) return entryOf(found);
    // It was made while the question changed. It holds for nothing, and would keep others from deciding.
    if (found) decisions.forget(executionId, number, question.question);
    return now() >= expiresMs ? { number, ...nth, action: 'expired' } : undefined;
  };

  const wait = (question: AskedQuestion, { args, ended, release }: Asking) =>
    new Promise<DecisionEntry>((resolve, reject) => {
      const { number, kind, expiresMs, toolBinding } = question;
      const endWait = waits.begin({ kind, untilMs: expiresMs, ...(release ? { release } : {}) });
      let timer: NodeJS.Timeout | undefined;
      const end = () => {
        open.delete(number);
        clearTimeout(timer);
        endWait();
      };
      const settle = (decision: DecisionEntry) => {
        try {
          journal.decide(decision);
          grants.add(decision, toolBinding);
          resolve(decision);
        } catch (error) {
          reject(error);
        }
        end();
        lookAtAll();
      };
      const look = () => {
        clearTimeout(timer);
        const decision = decisionOf(question, args);
        if (decision) settle(decision);
        else timer = setTimeout(look, Math.min(expiresMs - now(), MAX_TIMER_MS)).unref();
      };
      const close = (error: Error) => {
        end();
        reject(error);
      };
      const asked = { question, look, reject: close };
      open.set(number, asked);
      watch();
      look();
      ended?.then(
        (end) => open.get(number) === asked && settle({ number, ...nthOf(question), ...end }),
        (error) => open.get(number) === asked && close(error),
      );
      if (open.has(number)) onQuestion(question, args);
    });

  return {
    wait,
    pending: () => [...open.values()].map(({ question }) => pendingOf(question)),
    close() {
      forget?.();
      const ended = new ToolwrightError('CANCELLED', 'The execution has ended.');
      for (const { reject } of [...open.values()]) reject(ended);
    },
  };
}

/** Returns a question for a person. */
export function pendingOf({
  number,
  question,
  kind,
  tool,
  rule,
  arguments: args,
  details,
  binding,
  expiresMs,
}: Omit<QuestionEntry, 'mac'>): PendingQuestion {
  return {
    call: number,
    ...(question === undefined ? {} : { question }),
    kind,
    tool,
    ...(rule === undefined ? {} : { rule }),
    arguments: args,
    ...(details === undefined ? {} : { details }),
    binding,
    expiresAt: new Date(expiresMs).toISOString(),
  };
}

function nthOf({ question }: AskedQuestion): Pick<DecisionEntry, 'question'> {
  return question === undefined ? {} : { question };
}

function entryOf({ number, question, action, by, note, value, covers }: DecisionEntry): DecisionEntry {
  return {
    number,
    ...(question === undefined ? {} : { question }),
    action,
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
    ...(value === undefined ? {} : { value }),
    ...(covers === undefined ? {} : { covers }),
  };
}
