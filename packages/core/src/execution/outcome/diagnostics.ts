import type { AuditRecord } from '@toolwright/pii';
import type { LanguageName } from '@toolwright/sandbox';
import { type Topic, topic } from '@toolwright/sandbox/internal';
import type { ExecutionResult } from '../../history/result.ts';

/** The start of an execution. Its end has the same id. */
export interface ExecutionBegun {
  readonly id: string;
  readonly language: LanguageName;
  readonly sandbox: string;
}

/** The end of an execution. There is no result when it was rejected before it ran. */
export interface ExecutionEnded extends ExecutionBegun {
  readonly result?: ExecutionResult;
}

export const executionBegun: Topic<ExecutionBegun> = topic('toolwright.execution.begun');
export const executionEnded: Topic<ExecutionEnded> = topic('toolwright.execution.ended');
/** Published for each value that becomes a placeholder, with its type. */
export const personalDataFound: Topic<string> = topic('toolwright.pii.found');
/** Published for each use of personal data. The record contains no value. */
export const personalDataUsed: Topic<AuditRecord> = topic('toolwright.pii.used');
