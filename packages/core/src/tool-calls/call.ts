import type { InputOptions, SamplingInput, ToolCallOptions, ToolLanguage } from '@toolwright/connectors';
import type { Redactor } from '@toolwright/pii/internal';
import type { Room } from '@toolwright/sandbox';
import type { Slots } from '@toolwright/sandbox/internal';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import type { UserCatalog } from '../catalog/user-catalog.ts';
import type { ExecutionOrigins } from '../config/policy/origins/origins.ts';
import type { ShownOrigin } from '../config/policy/origins/words.ts';
import type { Limits } from '../config/sections/limits.ts';
import type { CallJournal, ToolCallRecord } from '../journal/call-record.ts';
import type { DecisionEntry, PauseEntry, PlanEntry, QuestionEntry } from '../journal/entries.ts';
import type { CallScope } from './policy/call-scope.ts';
import type { Decision, ExecutionPolicy } from './policy/create-policy.ts';
import type { Resources } from './resources/resources.ts';

/** Arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** One tool call as the program made it: its arguments contain placeholders. */
export interface ToolCall {
  /** Number of the call within its execution, from 1. */
  readonly number: number;
  /** Id of the guest's request. */
  readonly request?: number;
  /** Id of the tool, `server__tool`. It may not exist. */
  readonly tool: string;
  readonly args: Arguments;
  /** Present for a call that the execution made before it was continued. */
  readonly earlier?: EarlierCall;
}

/** A call of an execution before it was continued. */
export interface EarlierCall {
  readonly number: number;
  /** Whether the call was sent. Without an answer, it may have taken effect. */
  readonly isSent: boolean;
  /** Present while nothing of the call is under way: it is sent again with this state. */
  readonly pause?: Pick<PauseEntry, 'reason' | 'state'>;
  /** The details of its question about a login, before it was sent. */
  readonly login?: unknown;
  /** The last state with which its server asked for input. */
  readonly state?: unknown;
  /** The answer that the program did not receive: JSON text of the result, or of the code and message of the error. */
  readonly answer?: { readonly ok: boolean; readonly text: string };
}

/** A call whose arguments are within the limits. */
export interface LimitedCall extends ToolCall {
  /** The arguments as JSON. */
  readonly argumentText: string;
}

/** Arguments with values instead of placeholders. */
export type RestoredArguments = Awaited<ReturnType<Redactor['restoreArguments']>>;

/** Data that a tool returned and that is within the limits. */
export interface LimitedResult {
  readonly data: unknown;
  /** The data as JSON. */
  readonly text: string;
}

/** A question about a tool call, for a person. */
export interface CallQuestion {
  readonly kind: QuestionEntry['kind'];
  readonly call: ToolCall;
  readonly tool: ResolvedTool['tool'];
  /** The real arguments. */
  readonly args: Arguments;
  /** The rule of the policy that asks. */
  readonly rule?: string;
  /** The origins of the arguments, where the policy depends on them. */
  readonly origins?: readonly ShownOrigin[];
  /** The scope of a permission for later calls like this one. Only for an approval of a call with a target. */
  readonly scope?: CallScope | undefined;
  /** The question of the server, or the server and the link of its login: real JSON data. */
  readonly details?: unknown;
  /** Resolves when the question needs no person any more. */
  readonly ended?: Promise<QuestionEnd>;
  /** Present while a server waits for the answer. Ends this without one, and resolves when the call has ended. */
  readonly release?: () => Promise<void>;
}

/** The end of a question without a person. */
export type QuestionEnd = Pick<DecisionEntry, 'action' | 'value' | 'by'>;

/** The answers of the host to servers, without a person. */
export interface InputSources {
  /** Returns the folders that a server may use. */
  roots(): readonly { readonly uri: string; readonly name?: string }[];
  /** Answers a request for a model; undefined if only the client can. Raises `TOOL_FAILED` where nobody can. */
  sample(details: SamplingInput & { readonly server: string }): Promise<QuestionEnd> | undefined;
}

/** Asks a person, and resolves to the decision. Rejects when the execution ends first, and when nobody can be asked. */
export type AskPerson = (question: CallQuestion) => Promise<DecisionEntry>;

/** Starts a login of a user to a server. Resolves to its address. Raises the cause that prevents it. */
export type StartLogin = (
  server: string,
  userId: string,
) => Promise<{ readonly url: string; readonly expiresAtMs: number }>;

/** A call with everything that is needed to send it. */
export interface SentCall {
  readonly call: ToolCall;
  readonly restored: RestoredArguments;
  readonly target: ResolvedTool;
}

/** A progress report of a tool. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The tools that a program names in its text. */
export interface NamedTools {
  /** Returns whether the text names a tool: by its whole name, by its server and its own name, or by its function. */
  isNamed(tool: ResolvedTool['tool']): boolean | Promise<boolean>;
}

/** The calls of a dry run. */
export interface DryRunCalls {
  /** Adds a call that reached the policy. Returns its plan for the journal. */
  add(sent: SentCall, decision: Decision, isInvented: boolean): Promise<PlanEntry>;
}

/** The calls that a person approved after a dry run. */
export interface ApprovedCalls {
  /**
   * Raises `DRY_RUN_MISMATCH` for any other call, and stops the execution. Raises `POLICY_DENIED` for a call that the policy denied in
   * the dry run.
   */
  check(sent: SentCall): Promise<void>;
}

/** The record of a running call. It is `unanswered` until it is closed. */
export type OpenRecord = { -readonly [Key in keyof ToolCallRecord]: ToolCallRecord[Key] };

/** The records of one execution. */
export interface CallRecords {
  open(call: { readonly number: number; readonly tool: string }): OpenRecord;
  /** Sets the status, the duration and, for a failed call, the code of the error. */
  close(record: OpenRecord, status: 'answered' | 'failed', code?: string): void;
  /** Returns all records, ordered by number. */
  list(): readonly ToolCallRecord[];
}

/** The parts of an execution that its tool calls need. */
export interface ToolCallContext {
  readonly catalog: Pick<UserCatalog, 'resolve' | 'observe' | 'withObserved'>;
  /** Returns how the server of a request about a resource is found. Without it, such a request is an unknown tool. */
  readonly resources?: (() => Pick<Resources, 'resolve'>) | undefined;
  readonly journal: CallJournal;
  /** Called immediately before a call is journalled and sent. An error that it throws refuses the call. */
  readonly beforeCall?: (() => void) | undefined;
  readonly redactor: Redactor;
  readonly limits: Pick<Limits, 'callArgumentBytes' | 'callResultBytes' | 'depth'>;
  /** The language of the program. Errors contain signatures in it. */
  readonly language: ToolLanguage;
  /** The user whose program calls. */
  readonly userId: string;
  /** Headers of the client's request, for servers that need them. */
  readonly clientHeaders?: ToolCallOptions['clientHeaders'];
  /** The tools that the text of the program names. */
  readonly names: NamedTools;
  /** Decides whether the call is allowed, and counts it. */
  readonly policy: ExecutionPolicy;
  /** Present where the policy depends on the origins of arguments. */
  readonly origins?: ExecutionOrigins | undefined;
  /** Aborted when the execution ends. */
  readonly signal: AbortSignal;
  /** Receives the sizes of this call. */
  readonly record: OpenRecord;
  readonly records: CallRecords;
  /** Asks a person about the call. */
  readonly ask: AskPerson;
  /** Starts a login of the user to a server. Without it, a missing login is an error of the call. */
  readonly startLogin?: StartLogin | undefined;
  /** Notes a wait for the task of a server. Returns the function that ends it. Default: it counts as time of the program. */
  readonly onTaskWait?: InputOptions['onTaskWait'];
  /** Default: there are no folders and no model. */
  readonly inputs?: (() => InputSources) | undefined;
  /** Receives each progress report of the tool. */
  readonly onToolProgress?: ((report: ToolProgress) => void) | undefined;
  /** The program wants the whole result instead of its data. */
  readonly isRaw?: boolean | undefined;
  /** Present in a dry run: calls that may have an effect are not sent. */
  readonly dryRun?: DryRunCalls | undefined;
  /** Present for an execution under the approval of a dry run. */
  readonly approved?: ApprovedCalls | undefined;
  /** Raises `PII_DENIED` for a call that was computed from the text of placeholders. Default: all calls are sent. */
  readonly requireUncomputed?: ((sent: SentCall) => Promise<void> | undefined) | undefined;
  /** Adds a warning to the logs of the execution, one of each kind. It is redacted there. Default: the kind is the text. */
  readonly warn: (text: string, kind?: string) => void;
  /** One result of the execution is processed at a time. */
  readonly results: Slots;
  /** Resolves when the guest has space for a result; undefined if it has. */
  readonly room: Room;
}
