import type { AuditRecord } from '@toolwright/pii';
import type { LanguageName } from '@toolwright/sandbox';
import { type Topic, topic } from '@toolwright/sandbox/internal';
import type { ExecutionResult } from '../execution/result.ts';

/** An execution that begins; its end has the same id. */
export interface ExecutionBegun {
  readonly id: string;
  readonly language: LanguageName;
  readonly sandbox: string;
}

/** An execution that has ended, whatever way; without a result when it was refused before it ran. */
export interface ExecutionEnded extends ExecutionBegun {
  readonly result?: ExecutionResult;
}

export const executionBegun: Topic<ExecutionBegun> = topic('toolwright.execution.begun');
export const executionEnded: Topic<ExecutionEnded> = topic('toolwright.execution.ended');
/** A value of personal data became a placeholder: its type. */
export const personalDataFound: Topic<string> = topic('toolwright.pii.found');
/** What was done with a value of personal data; the record has no value in it. */
export const personalDataUsed: Topic<AuditRecord> = topic('toolwright.pii.used');
