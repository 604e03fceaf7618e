import type { CallEvent } from './listed-execution.ts';

/** Receives the changes of the executions of this process. Each of its methods is cheap. */
export interface ExecutionWatch {
  /** The journal of an execution has another start, question, decision, suspension or end. */
  changed(id: string): void;
  call(id: string, userId: string, event: CallEvent): void;
}
