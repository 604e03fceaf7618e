import type { components } from '../../api/openapi.d.ts';

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
  readonly [field: string]: unknown;
}

/** Usage of a time range. */
export interface Usage {
  readonly from: string;
  readonly to: string;
  readonly bucket: 'hour' | 'day';
  readonly totals: Readonly<
    Record<
      | 'executions'
      | 'completed'
      | 'failed'
      | 'stopped'
      | 'cancelled'
      | 'open'
      | 'toolCalls'
      | 'toolErrors'
      | 'directTokens'
      | 'usedTokens'
      | 'savedTokens',
      number
    >
  > & { readonly p50Ms?: number; readonly p95Ms?: number };
  readonly tasks: {
    readonly count: number;
    readonly costUsd?: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
  };
  readonly queue: { readonly running: number; readonly waiting: number };
  readonly personalData: Readonly<Record<string, number>>;
  readonly series: readonly UsageBucket[];
  readonly tools: ListedExecution['tools'];
  readonly users: readonly {
    readonly userId: string;
    readonly executions: number;
    readonly failed: number;
    readonly savedTokens?: number;
  }[];
  readonly isIndexing?: true;
}

/** Usage of one hour or day. */
export interface UsageBucket {
  readonly at: string;
  readonly executions: number;
  readonly failed: number;
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  readonly savedTokens?: number;
}

/** A server with its health. */
export interface ServerHealth {
  readonly name: string;
  readonly slug: string;
  readonly description?: string;
  readonly state: string;
  readonly problem?: string;
  readonly protocol?: string;
  readonly starts?: number;
  readonly toolCount: number;
  readonly omittedTools?: unknown;
  readonly calls?: number;
  readonly failed?: number;
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  readonly lastError?: { readonly code: string; readonly at: string };
}
