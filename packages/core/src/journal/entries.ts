import type { ShownOrigin } from '../config/policy/origins/words.ts';
import type { PolicyAction } from '../config/policy/schema.ts';
import type { ChangedLimits } from '../config/sections/limits.ts';

/**
 * The format of new journals. Older ones have none, and cannot be replayed. Two versions run at once during an upgrade: they ignore entries
 * and members that they do not know. An entry that a replay must not ignore needs the next number, so that the older version refuses the
 * journal. Members are added before the arguments of a call and the result of an answer, which are the last ones of their lines.
 */
export const JOURNAL_FORMAT = 2;

/** The first entry of a journal: enough to run the execution again with the same calls. */
export interface JournalStart {
  /** {@link JOURNAL_FORMAT} of the version that wrote the journal. Absent in journals of older versions. */
  readonly format?: number;
  readonly id: string;
  /** Id of the user. Older journals lack it; their user is `local`. */
  readonly user?: string;
  /** Id of the session. */
  readonly session?: string;
  readonly language: string;
  readonly sandbox: string;
  /** The process of the execution, for the operator. Its lease shows whether it lives. */
  readonly host: { readonly name: string; readonly pid: number };
  /** Id of the lease of the process. Older journals lack it; their executions count as interrupted. */
  readonly owner?: string;
  /** The time limit of the program. Older journals lack it. */
  readonly timeoutMs?: number;
  /** The limits that differ from the defaults. */
  readonly limits?: ChangedLimits;
  /** Present for a dry run, which sends no call that may have an effect. */
  readonly dryRun?: true;
  /** Id of the dry run whose approval the execution uses. */
  readonly approved?: string;
  /** The profile whose tools the program may use. Absent: all tools. */
  readonly profile?: string;
  /** Present for a direct call of a client. */
  readonly isDirect?: true;
  /** The request of the user, for the origins of arguments. Files have it sealed only. */
  readonly sealedRequest?: string;
  /** Present if the author of the program cannot have seen public data. */
  readonly isOwnProgram?: true;
  /** The source as the author wrote it. */
  readonly source: string;
  readonly catalogHash: string;
  /** Present if the session keeps values of the program. */
  readonly keeps?: boolean | undefined;
  /** Hash of the lock of the packages that the program could import. Absent without packages. */
  readonly packages?: string;
  readonly seed: number;
  readonly epochMs: number;
  /** The execution whose first calls a fork repeats, and the number of the last one. */
  readonly forkedFrom?: { readonly id: string; readonly at: number };
}

/** An answer that the guest received. The order of these entries is the order of delivery. */
export interface ReplyEntry {
  /** Id of the guest's request; 0 for the modules of JavaScript programs. */
  readonly request: number;
  /** Authentication code of the exact request, which a replay compares. A call that was sent has it in its entry `call`. */
  readonly mac?: string;
  /** The operation of a request that is not a tool call, such as `fs.readText`. */
  readonly operation?: string;
  /** The parameters of a short request. */
  readonly parameters?: readonly unknown[];
  /** Absent for a tool call that succeeded: its answer is the entry `answer`. */
  readonly ok?: boolean;
  /** The answer, redacted. Absent with `sameAs`. */
  readonly value?: unknown;
  /** Number of the earlier reply with the same value, from 0. */
  readonly sameAs?: number;
  /** Code of the exact answer, if the program received values that are redacted here. */
  readonly clear?: string;
}

/** The decision of the policy about a call of a dry run. */
export interface PlanEntry {
  readonly action: PolicyAction;
  /** The rule that decided. */
  readonly rule: string;
  /** The limit of the rule: `20 per hour`. */
  readonly limit?: string;
  /** Whether the call was not sent, and its answer is invented. */
  readonly isInvented: boolean;
  /** Code of the user, the definition of the tool and the real arguments; see {@link QuestionEntry}. */
  readonly binding: string;
  readonly toolBinding: string;
  readonly serverBinding?: string;
}

/** The knowledge of a person about a question. */
export interface ShownQuestion {
  /** Number of the question within its call, from 1. Default: 1. */
  readonly question?: number;
  /**
   * `approval`: may the call be sent? `outcome`: a crash came between the call and its answer; did it take effect? `input`: the server
   * asks something during the call. `authorization`: the server needs a login first.
   */
  readonly kind: QuestionKind;
  readonly tool: string;
  /** The rule of the policy that asks. */
  readonly rule?: string;
  /** The origins of the arguments, where the policy depends on them. */
  readonly origins?: readonly ShownOrigin[];
  /** Redacted. */
  readonly arguments: unknown;
  /** The question of the server, or the server and the link of its login, redacted. Only for `input` and `authorization`. */
  readonly details?: unknown;
  /** Code of the user, the definition of the tool, the real arguments and the real details. A decision holds for this code only. */
  readonly binding: string;
}

/** A question that a person answers before a tool call goes on. A call asks its questions one after the other. */
export interface QuestionEntry extends ShownQuestion {
  /** Number of the call. */
  readonly number: number;
  readonly request: number;
  readonly mac: string;
  /** The details with personal data. Files have them sealed. */
  readonly realDetails?: unknown;
  /** Code of the user and the definition of the tool, for an approval that covers further calls. */
  readonly toolBinding: string;
  /** Code of the server behind its name. A decision holds for this server only. */
  readonly serverBinding?: string;
  /** Code of the user, the definition of the tool and the scope of the call, for a standing permission. */
  readonly scopeBinding?: string;
  /** The amounts of the scope, sealed. */
  readonly sealedAmounts?: string;
  /** Milliseconds since the epoch. Without a decision, the call is refused then. */
  readonly expiresMs: number;
}

/** The subject of a question. */
export type QuestionKind = 'approval' | 'outcome' | 'input' | 'authorization';

/** The answer to a question. */
export interface DecisionEntry {
  /** Number of the call. */
  readonly number: number;
  /** Number of the question within its call. Default: 1. */
  readonly question?: number;
  readonly action: DecisionAction;
  /** The person, or the program of the embedder. */
  readonly by?: string;
  /** The reason, for the program. */
  readonly note?: string;
  /** With `result`: the result of the call, as data. With `answer`: the answer to the server. Files have it sealed. */
  readonly value?: unknown;
  /** The further calls of this tool, in this execution, that an approval covers. */
  readonly covers?: CoveredCalls;
  /** Number of the call whose approval covers this one. */
  readonly grant?: number;
  /** Id of the approved dry run that has this call. */
  readonly dryRun?: string;
}

/** Further calls of one tool in one execution. */
export interface CoveredCalls {
  /** The most calls. */
  readonly next: number;
  /** A JSON Schema of their real arguments. Default: any arguments. */
  readonly arguments?: unknown;
}

/**
 * Of an approval: `approve` or `deny`. Of an unknown outcome: `result` (it happened, with this result), `resend` or `fail`. Of a
 * question of a server: `answer`, `decline` or `cancel` (no answer). Of an authorization: `authorize` (the login is done) or `fail`. Of
 * all of them: `expired`.
 */
export type DecisionAction =
  | 'approve'
  | 'deny'
  | 'result'
  | 'resend'
  | 'fail'
  | 'answer'
  | 'decline'
  | 'cancel'
  | 'authorize'
  | 'expired';

/** A call that its server has ended without a result. */
export interface PauseEntry {
  /** Number of the call. */
  readonly number: number;
  /** The server needs a login, and the state describes it. Absent: the server needs an answer. */
  readonly reason?: 'login';
  /** Data with which the call is sent again. Files have them sealed. */
  readonly state?: unknown;
}

/** The reason for which an execution waits. */
export type WaitKind = 'approval' | 'input' | 'authorization' | 'outcome' | 'timer';

/** An execution that waits without a sandbox. */
export interface SuspendEntry {
  readonly waitingFor: readonly WaitKind[];
  /** When it goes on without a decision, in milliseconds since the epoch: the next timer or expiry. */
  readonly wakeMs: number;
  /** Milliseconds that its program has run. */
  readonly ranMs: number;
}

/** The process that continues an execution. */
export interface ResumeEntry {
  readonly host: JournalStart['host'];
  readonly owner?: string | undefined;
}

/** One line of a journal, in the order of events. */
export type JournalEntry =
  | ({ readonly entry: 'start'; readonly at: string } & JournalStart)
  | ({
      readonly entry: 'call';
      readonly at: string;
      readonly number: number;
      readonly tool: string;
      /** The key of the policy's limit that the call used. */
      readonly limit?: string;
      /** Present in a dry run for a call that reached the policy. */
      readonly plan?: PlanEntry;
      /** The origins of the arguments, where the policy depends on them. */
      readonly origins?: readonly ShownOrigin[];
      readonly arguments: unknown;
    } & ReplyEntry & { readonly request?: number })
  | {
      readonly entry: 'answer';
      readonly at: string;
      readonly number: number;
      readonly ok: boolean;
      readonly result: unknown;
    }
  /** The server needs an answer or a login first: it has ended the call without a result, and nothing of it is under way. */
  | ({ readonly entry: 'pause'; readonly at: string } & PauseEntry)
  /** The call is sent again. */
  | { readonly entry: 'send'; readonly at: string; readonly number: number }
  | ({ readonly entry: 'reply'; readonly at: string } & ReplyEntry)
  | ({ readonly entry: 'question'; readonly at: string } & QuestionEntry)
  | ({ readonly entry: 'decision'; readonly at: string } & DecisionEntry)
  /** A wait of the program, which ends at this time. */
  | {
      readonly entry: 'timer';
      readonly at: string;
      readonly request: number;
      readonly mac: string;
      readonly dueMs: number;
    }
  /** A change of a file that is made now; `bytes` is its size before. */
  | {
      readonly entry: 'change';
      readonly at: string;
      readonly request: number;
      readonly mac: string;
      readonly bytes?: number;
    }
  | ({ readonly entry: 'suspend'; readonly at: string } & SuspendEntry)
  | ({ readonly entry: 'resume'; readonly at: string } & ResumeEntry)
  /** Readings of the program's clock: a time in milliseconds since the epoch, and how often it was read. */
  | { readonly entry: 'clock'; readonly at: string; readonly readings: readonly number[] }
  /** The requests without an answer when the program ended: id and code. */
  | { readonly entry: 'unanswered'; readonly at: string; readonly requests: readonly (readonly [number, string])[] }
  /** From here on, the execution cannot be replayed. */
  | { readonly entry: 'gap'; readonly at: string; readonly reason: string }
  /** The redacted result, as the caller received it. Absent when it exceeds the limit of the journal. */
  | { readonly entry: 'result'; readonly at: string; readonly result: unknown }
  | ({ readonly entry: 'end'; readonly at: string } & JournalEnd);

/** The last entry of a journal. */
export interface JournalEnd {
  readonly status: string;
  /** The limit that stopped the execution. */
  readonly limit?: string;
  /** Bytes of the entry `result`, which is the one before; absent without it. */
  readonly resultBytes?: number;
  /** Code of the exact outcome and logs of the guest, which a replay compares. Absent when it did not end by itself. */
  readonly outcome?: string;
}
