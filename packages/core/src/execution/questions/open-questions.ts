import { MAX_TIMER_MS } from '../../config/setting.ts';
import { ToolwrightError } from '../../errors.ts';
import type { PendingQuestion } from '../../history/result.ts';
import type { DueTimes } from '../../journal/due-times.ts';
import type { DecisionEntry, QuestionEntry } from '../../journal/entries.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Decisions } from '../../journal/questions/decisions.ts';
import type { CallQuestion } from '../../tool-calls/call.ts';
import type { Grants } from './grants.ts';
import type { Waits } from './waits.ts';

export interface OpenQuestionsOptions {
  readonly executionId: string;
  readonly journal: Journal;
  readonly decisions: Decisions;
  readonly waits: Waits;
  readonly grants: Grants;
  /** Milliseconds since the epoch. */
  readonly dueTimes: DueTimes;
  /** Receives each new question, with the real arguments of its call, and a function for "nobody decides soon". */
  readonly onQuestion: (question: AskedQuestion, args: unknown, defer: () => void) => void;
}

/** Milliseconds between two looks for a decision while the storage does not answer. */
const RETRY_MS = 1_000;

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
  look(): Promise<void>;
  reject(error: Error): void;
}

/** Creates the open questions of an execution. */
export function openQuestions(options: OpenQuestionsOptions): OpenQuestions {
  const { executionId, journal, decisions, waits, grants, dueTimes, onQuestion } = options;
  const open = new Map<number, OpenQuestion>();
  const lookAtAll = () => {
    for (const { look } of [...open.values()]) void look();
  };
  let forget: (() => void) | undefined;
  /** Begins with the first question, so that an execution without one watches no folder. */
  const watch = () => {
    forget ??= decisions.onDecision((id) => {
      if (id === executionId) lookAtAll();
    });
  };
  const { grantFor, findDecision } = decisionsOf(options);

  const wait = (question: AskedQuestion, { args, ended, release }: Asking) =>
    new Promise<DecisionEntry>((resolve, reject) => {
      const { number, kind, expiresMs } = question;
      let endWait = () => {};
      let timer: NodeJS.Timeout | undefined;
      const isOpen = () => open.get(number) === asked;
      const end = () => {
        open.delete(number);
        clearTimeout(timer);
        endWait();
      };
      const settle = (decision: DecisionEntry) => {
        try {
          journal.decide(decision);
          grants.add(decision, question);
          resolve(decision);
        } catch (error) {
          reject(error);
        }
        end();
        lookAtAll();
      };
      const look = async () => {
        if (!isOpen()) return;
        clearTimeout(timer);
        let waitMs = Math.min(dueTimes.leftMs(expiresMs), MAX_TIMER_MS);
        try {
          const decision = grantFor(question, args) ?? (await findDecision(question));
          if (decision && isOpen()) return settle(decision);
        } catch {
          waitMs = RETRY_MS;
        }
        clearTimeout(timer);
        if (isOpen()) timer = setTimeout(look, waitMs).unref();
      };
      const close = (error: Error) => {
        end();
        reject(error);
      };
      const asked = { question, look, reject: close };
      open.set(number, asked);
      watch();
      // A question that has a decision is no wait.
      void look().then(() => {
        if (!isOpen()) return;
        const asking = { kind, untilMs: expiresMs, release };
        endWait = waits.begin(asking);
        onQuestion(question, args, () => isOpen() && waits.defer(asking));
      });
      ended?.then(
        (end) => isOpen() && settle({ number, ...nthOf(question), ...end }),
        (error) => isOpen() && close(error),
      );
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

/** Returns the steps that find the decision about a question that holds now. */
function decisionsOf({ executionId, decisions, grants, dueTimes }: OpenQuestionsOptions) {
  return {
    /** Returns the decision of an earlier approval that covers a question. */
    grantFor(question: AskedQuestion, args: unknown): DecisionEntry | undefined {
      const { number, kind } = question;
      const grant = kind === 'approval' ? grants.use(number, question, args) : undefined;
      return grant === undefined ? undefined : { number, ...nthOf(question), action: 'approve', grant };
    },
    async findDecision(question: AskedQuestion): Promise<DecisionEntry | undefined> {
      const { number, binding, expiresMs } = question;
      const found = await decisions.find(executionId, number, question.question);
      if (found?.binding === binding) return entryOf(found);
      // It was made while the question changed. It holds for nothing, and would keep others from deciding.
      if (found) await decisions.forget(executionId, number, question.question);
      return dueTimes.leftMs(expiresMs) <= 0 ? { number, ...nthOf(question), action: 'expired' } : undefined;
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
  origins,
  arguments: args,
  details,
  binding,
  expiresMs,
}: Omit<QuestionEntry, 'mac'>): PendingQuestion {
  return {
    call: number,
    question,
    kind,
    tool,
    rule,
    origins,
    arguments: args,
    details,
    binding,
    expiresAt: new Date(expiresMs).toISOString(),
  };
}

function nthOf({ question }: AskedQuestion) {
  return { question };
}

function entryOf({ number, question, action, by, note, value, covers }: DecisionEntry): DecisionEntry {
  return {
    number,
    question,
    action,
    by,
    note,
    value,
    covers,
  };
}
