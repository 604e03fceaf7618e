import type { Redactor } from '@toolwright/pii/internal';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import type { ToolLanguage } from '../catalog/tool.ts';
import type { UserCatalog } from '../catalog/user-catalog.ts';
import type { Limits } from '../execution/limits.ts';
import type { Resources } from '../execution/resources/resources.ts';
import type { DecisionEntry, PlanEntry, QuestionEntry } from '../journal/entries.ts';
import type { Decision, ExecutionPolicy } from './policy/create-policy.ts';
import type { CallJournal, OpenRecord } from './record.ts';

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
}

/** Asks a person, and resolves to the decision. Rejects when the execution ends first, and when nobody can be asked. */
export type AskPerson = (question: CallQuestion) => Promise<DecisionEntry>;

/** A call with everything that is needed to send it. */
export interface SentCall {
  readonly call: ToolCall;
  readonly restored: RestoredArguments;
  readonly target: ResolvedTool;
}

/** The calls of a dry run. */
export interface DryRunCalls {
  /** Adds a call that reached the policy. Returns its plan for the journal. */
  add(sent: SentCall, decision: Pick<Decision, 'action' | 'rule' | 'limit'>, isInvented: boolean): Promise<PlanEntry>;
}

/** The calls that a person approved after a dry run. */
export interface ApprovedCalls {
  /**
   * Raises `DRY_RUN_MISMATCH` for any other call, and stops the execution. Raises `POLICY_DENIED` for a call that the policy denied in
   * the dry run.
   */
  check(sent: SentCall): Promise<void>;
}

/** The parts of an execution that its tool calls need. */
export interface ToolCallContext {
  readonly catalog: Pick<UserCatalog, 'resolve' | 'observe' | 'withObserved'>;
  /** Finds the server of a request about a resource. Without it, such a request is an unknown tool. */
  readonly resources?: Pick<Resources, 'resolve'> | undefined;
  readonly journal: CallJournal;
  readonly redactor: Pick<Redactor, 'restoreArguments' | 'redactResult' | 'redact' | 'redactForJournal'>;
  readonly limits: Pick<Limits, 'callArgumentBytes' | 'callResultBytes' | 'depth'>;
  /** The language of the program. Errors contain signatures in it. */
  readonly language: ToolLanguage;
  /** The user whose program calls. */
  readonly userId: string;
  /** Decides whether the call is allowed, and counts it. */
  readonly policy: ExecutionPolicy;
  /** Aborted when the execution ends. */
  readonly signal: AbortSignal;
  /** Receives the sizes of this call. */
  readonly record: Pick<OpenRecord, 'setArgumentBytes' | 'setResultBytes'>;
  /** Asks a person about the call. */
  readonly ask: AskPerson;
  /** The program wants the whole result instead of its data. */
  readonly isRaw?: boolean | undefined;
  /** Present in a dry run: calls that may have an effect are not sent. */
  readonly dryRun?: DryRunCalls | undefined;
  /** Present for an execution under the approval of a dry run. */
  readonly approved?: ApprovedCalls | undefined;
  /** Adds a warning to the logs of the execution. It is redacted there. */
  readonly warn: (text: string) => void;
  /** Runs work on the result of this call when no other result is being processed. */
  readonly inTurn: (work: () => Promise<string>) => Promise<string>;
}
