import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import type { DecisionEntry, QuestionEntry } from '../journal/entries.ts';
import type { Arguments, ToolCall } from './call.ts';

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
