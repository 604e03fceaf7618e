import type { components } from '../../api/openapi.d.ts';
import type { Answer } from './client.ts';

/** An execution of the list. */
export type ListedExecution = components['schemas']['ListedExecution'];

/** An open question. */
export type Approval = components['schemas']['Approval'];

/** The answer to decisions about several questions. */
export interface Decided {
  readonly decided: readonly { readonly executionId: string; readonly call: number }[];
  readonly refused: readonly {
    readonly executionId: string;
    readonly call: number;
    readonly code: string;
    readonly detail: string;
  }[];
}

/** An entry of a journal. */
export interface JournalEntry {
  readonly number: number;
  readonly entry: string;
  readonly at?: string;
  /** Number of the call that it is about. */
  readonly call?: number;
  readonly [field: string]: unknown;
}

/** Usage of a time range. */
export type Usage = Answer<'/usage'>;

/** Usage of one hour or day. */
export type UsageBucket = Usage['series'][number];

/** The policy in force. */
export type Policy = Answer<'/policy'>;

/** A rule of the policy. */
export type PolicyRule = components['schemas']['PolicyRule'];

/** How the policy decides a call, and why. */
export type PolicyExplanation = components['schemas']['PolicyExplanation'];

/** A server with its health. */
export type ServerHealth = Answer<'/servers'>['servers'][number];
