import { channel } from 'node:diagnostics_channel';
import type { Task } from './agent/task.ts';
import type { ExecutionResult } from './execution/result.ts';
import type { LanguageName } from './languages/language.ts';
import type { AuditRecord } from './pii/audit.ts';

/**
 * One thing that happens, which who does it tells and whoever wants to know listens to: a named channel of
 * `node:diagnostics_channel`, with its type. Neither side knows the other, and telling costs nothing where nobody
 * listens. Channels are those of the process: all Toolwrights of it are heard.
 */
export interface Topic<T> {
  publish(message: T): void;
  /** Hears all that is told from now on. Returns what ends that. A listener that throws is warned of, and harms nobody. */
  subscribe(listener: (message: T) => void): () => void;
}

function topic<T>(name: string): Topic<T> {
  const told = channel(name);
  return {
    publish: (message) => told.publish(message),
    subscribe(listener) {
      // What Node does with an error of a listener is to end the process.
      const guarded = (message: unknown) => {
        try {
          listener(message as T);
        } catch (error) {
          process.emitWarning(error instanceof Error ? error : String(error));
        }
      };
      told.subscribe(guarded);
      return () => void told.unsubscribe(guarded);
    },
  };
}

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

/** How full a pool of guests is. */
export interface PoolReport {
  /** The sandbox that has it. */
  readonly sandbox: string;
  readonly idle: number;
  readonly busy: number;
  /** Executions that wait for a guest. */
  readonly waiting: number;
}

export const executionBegun: Topic<ExecutionBegun> = topic('toolwright.execution.begun');
export const executionEnded: Topic<ExecutionEnded> = topic('toolwright.execution.ended');
/** A task that goes on: a new one, or one that is continued. */
export const taskBegun: Topic<Task> = topic('toolwright.task.begun');
/** A task that has ended, or was interrupted. Its usage is all that it ever used, also before it was continued. */
export const taskEnded: Topic<Task> = topic('toolwright.task.ended');
/** A value of personal data became a placeholder: its type. */
export const personalDataFound: Topic<string> = topic('toolwright.pii.found');
/** What was done with a value of personal data; the record has no value in it. */
export const personalDataUsed: Topic<AuditRecord> = topic('toolwright.pii.used');
/** A quota that was used up when someone wanted more. */
export const quotaRefused: Topic<{ readonly scope: string; readonly quota: string }> =
  topic('toolwright.quota.refused');
/** Someone asks how full the pools are: each answers at once. */
export const poolsAsked: Topic<(report: PoolReport) => void> = topic('toolwright.pools.asked');
