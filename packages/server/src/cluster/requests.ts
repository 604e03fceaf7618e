import type { TraceFields } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core';
import type { WorkOutcome } from '../queue/queue.ts';

/** The listeners of a caller that receive events. */
export interface Listens {
  readonly log: boolean;
  readonly progress: boolean;
  readonly call: boolean;
  readonly question: boolean;
}

/** A method that a worker runs. */
export type WorkMethod =
  | { readonly run: 'execute'; readonly code: string; readonly options: Readonly<Record<string, unknown>> }
  | { readonly run: 'resume'; readonly options: Readonly<Record<string, unknown>> }
  | {
      readonly run: 'fork';
      readonly of: string;
      readonly options: Readonly<Record<string, unknown>> & { readonly at: number };
    }
  | { readonly run: 'replay'; readonly of: string }
  | { readonly run: 'save'; readonly of: string; readonly draft: { readonly name: string } }
  | { readonly run: 'cancel'; readonly of: string };

/** The request of a work of the kind `execution`, as its row has it. */
export type ExecutionRequest = WorkMethod & {
  readonly user: string;
  /** Address of the process whose caller waits. */
  readonly replyTo: string;
  readonly listens: Listens;
  /** The trace of the caller. */
  readonly trace: TraceFields;
};

/** An error, as a row has it. */
export interface Failure {
  readonly code: ToolwrightError['code'];
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The result of a work, as its row has it. */
export type WorkResult = { readonly value: unknown } | { readonly failure: Failure };

/** Returns an error as a row has it. Only errors of Toolwright have messages for callers. */
export function failureOf(error: unknown, id: string): Failure {
  if (!(error instanceof ToolwrightError)) {
    return { code: 'INTERNAL', message: `The worker failed at ${id}. Its log has the reason.` };
  }
  const { code, message, details } = error;
  return { code, message, details: isJson(details) ? details : undefined };
}

/** Returns the value of a result. Raises its error, with the same code. */
export function resultValue({ id, isCancelled, result }: WorkOutcome): unknown {
  if (result === undefined || result === null) {
    if (isCancelled) throw new ToolwrightError('CANCELLED', 'The execution was cancelled before it started.');
    throw new ToolwrightError('INTERNAL', `The work ${id} ended without a result.`);
  }
  const ended = result as WorkResult;
  if (!('failure' in ended)) return ended.value;
  const { code, message, details } = ended.failure;
  throw new ToolwrightError(code, message, details ? { details } : {});
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
