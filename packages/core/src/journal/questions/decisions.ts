import { codeOf } from '@toolwright/storage/internal';
import type { DecisionEntry } from '../entries.ts';
import { openEntry, sealEntry } from '../sealed-value.ts';

/** A decision that was made and that the execution may not have applied yet. */
export interface StoredDecision extends DecisionEntry {
  readonly executionId: string;
  /** Binding of the question; see `QuestionEntry`. */
  readonly binding: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** The decisions about executions. Any process adds them, and the process of the execution applies them. */
export interface Decisions {
  /**
   * Adds a decision. Resolves to false if the question has one: the first one holds. `isApplied`: it is about a dry run, which has ended.
   * All methods raise `STORE_UNAVAILABLE`.
   */
  add(decision: StoredDecision, options?: { readonly isApplied?: boolean }): Promise<boolean>;
  /** Returns the decision of a question; undefined also for one that was changed by others. */
  find(executionId: string, call: number, question?: number): Promise<StoredDecision | undefined>;
  /** Calls a function with the id of an execution when it gets a decision. Returns the function that ends this. */
  onDecision(listener: (executionId: string) => void): () => void;
  /** Removes a decision that does not hold for its question: the tool, the arguments or the user have changed. */
  forget(executionId: string, call: number, question?: number): Promise<void>;
}

/** Returns the text that a storage keeps of a decision: its authentication code, and the decision with sealed values. */
export function decisionText(key: Buffer, decision: StoredDecision): string {
  const text = JSON.stringify(sealEntry(key, decision.executionId, 'decision', { ...decision }));
  return `${codeOf(key, text)}\n${text}`;
}

/** Returns the decision of a stored text; undefined for one that was changed by others. */
export function decisionOf(key: Buffer, executionId: string, stored: string): StoredDecision | undefined {
  const [code, text = ''] = stored.split('\n', 2);
  if (code !== codeOf(key, text)) return undefined;
  const entry = { ...JSON.parse(text), entry: 'decision' } as StoredDecision & { readonly entry: 'decision' };
  return openEntry(key, executionId, entry);
}
