import type {
  DecisionEntry,
  JournalEnd,
  JournalStart,
  PauseEntry,
  PlanEntry,
  QuestionEntry,
  SuspendEntry,
} from '../entries.ts';

/** The questions of an execution, with their decisions. */
export interface RecordedQuestions {
  /** The questions about calls, in order, by the id of their request. Only the last one of a call can be open. */
  readonly questions: ReadonlyMap<number, readonly RecordedQuestion[]>;
  /** The calls that an approval of another call covers, with the number of that call. */
  readonly granted: ReadonlyMap<number, number>;
}

/** Everything that the guest of an execution received, in order, and its requests without an answer. */
export interface Recording extends RecordedQuestions {
  readonly start: JournalStart;
  /** The answers, in the order of delivery. */
  readonly replies: readonly RecordedReply[];
  /** The tool calls that were sent or refused, by the id of their request. */
  readonly calls: ReadonlyMap<number, RecordedCall>;
  /** Ends of waits in milliseconds since the epoch, by the id of their request. */
  readonly timers: ReadonlyMap<number, number>;
  /** The changes of files that were begun: the size of the file before, by the id of their request. */
  readonly changes: ReadonlyMap<number, number | undefined>;
  /** The codes of the requests without an answer, by their ids, as far as they are known. */
  readonly unanswered: ReadonlyMap<number, string>;
  /** The readings of the clock; see `Program.clock`. */
  readonly clock: readonly number[];
  /** Present for an execution that waits without a sandbox. */
  readonly suspension?: SuspendEntry;
  /** Milliseconds that the program has run, up to the last suspension. */
  readonly ranMs: number;
  /** How often it was continued. */
  readonly resumes: number;
  /** How often it was continued since it last got further: its process ended each time. */
  readonly failedResumes: number;
  /** Id of the lease of the last process that ran it. */
  readonly owner?: string | undefined;
  /** Why it cannot be replayed, if it cannot. */
  readonly gap?: string;
  /** The complete lines of the file: their bytes, and the code of the last one. */
  readonly tail: { readonly bytes: number; readonly code: string };
  /** Absent for an execution that runs, is suspended or was interrupted. */
  readonly end?: JournalEnd;
}

/** An answer with its request. */
export interface RecordedReply {
  readonly request: number;
  readonly mac: string;
  readonly operation: string;
  /** Absent for a long request. */
  readonly parameters?: readonly unknown[];
  readonly ok: boolean;
  /** JSON text. */
  readonly payload: string;
  /** Code of the exact answer, if the payload is its redacted form. */
  readonly clear?: string;
  /** The length of {@link Recording.clock} when the answer was delivered. */
  readonly readings: number;
}

/** A tool call that was sent. */
export interface RecordedCall {
  readonly number: number;
  readonly mac: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** The key of the policy's limit that the call used. */
  readonly limit?: string;
  /** Present in a dry run for a call that reached the policy. */
  readonly plan?: PlanEntry;
  readonly startedAt: string;
  /** Present while nothing of the call is under way: its server needs an answer or a login, and it is sent again. */
  readonly pause?: PauseEntry;
  /** The last state with which its server asked for input. */
  readonly state?: unknown;
  /** Absent for a call that has no known outcome. */
  readonly answer?: {
    readonly ok: boolean;
    readonly at: string;
    /** JSON text of the result, or of the error: its code and message. */
    readonly text: string;
  };
}

/** A question with its decision, if there is one. */
export interface RecordedQuestion extends QuestionEntry {
  readonly at: string;
  readonly decision?: DecisionEntry;
  /** Set for a question whose decision holds no longer: the call was sent again under it. */
  readonly isUsed?: true;
}

/** Returns the last question of each call: a call asks its next one after the decision. */
export function lastQuestions(questions: Recording['questions']): readonly RecordedQuestion[] {
  return lastOfCalls([...questions.values()].flat());
}

/** Returns the last of the questions of each call. */
export function lastOfCalls<Asked extends { readonly number: number }>(questions: readonly Asked[]): readonly Asked[] {
  return [...new Map(questions.map((question) => [question.number, question])).values()];
}
