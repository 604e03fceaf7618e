import type { Redactor } from '@toolwright/pii/internal';
import type { Tool, ToolLanguage } from '../catalog/tool.ts';
import type { UserCatalog } from '../catalog/user-catalog.ts';
import type { Limits } from '../execution/limits.ts';
import type { ExecutionPolicy } from './policy/create-policy.ts';
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

/** A call that a person must approve before it is sent. */
export interface ApprovalQuestion {
  /** Number of the call within its execution, from 1. */
  readonly call: number;
  /** Id of the guest's request. */
  readonly request?: number;
  readonly tool: Tool;
  /** The rule that asks: `the rule "refunds"`, `policy.rules[2]`, or `the preset "careful"`. */
  readonly rule: string;
  /** The arguments that the tool would receive. They may contain personal data. */
  readonly arguments: Arguments;
  /** The arguments without personal data, as in the journal. */
  readonly redactedArguments: unknown;
}

/** The parts of an execution that its tool calls need. */
export interface ToolCallContext {
  readonly catalog: Pick<UserCatalog, 'resolve' | 'observe'>;
  readonly journal: CallJournal;
  readonly redactor: Pick<Redactor, 'restoreArguments' | 'redactResult' | 'redact' | 'redactForJournal'>;
  readonly limits: Pick<Limits, 'callArgumentBytes' | 'callResultBytes' | 'depth'>;
  /** The language of the program. Errors contain signatures in it. */
  readonly language: ToolLanguage;
  /** The user whose program calls. */
  readonly userId: string;
  /** Decides whether the call is allowed, and counts it. */
  readonly policy: ExecutionPolicy;
  /** Asks a person about a call. Resolves when the call is approved, and rejects when it is not. Absent: nobody can be asked. */
  readonly approve?: ((question: ApprovalQuestion) => Promise<void>) | undefined;
  /** Aborted when the execution ends. */
  readonly signal: AbortSignal;
  /** Receives the sizes of this call. */
  readonly record: Pick<OpenRecord, 'setArgumentBytes' | 'setResultBytes'>;
  /** Adds a warning to the logs of the execution. It is redacted there. */
  readonly warn: (text: string) => void;
  /** Runs work on the result of this call when no other result is being processed. */
  readonly inTurn: (work: () => Promise<string>) => Promise<string>;
}
