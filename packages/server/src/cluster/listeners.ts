import { type ExecuteOptions, type ForkOptions, type ResumeOptions, ToolwrightError } from '@toolwright/core';
import type { CallerOptions } from './caller.ts';

/** Separates functions, which stay in this process, from data, which the worker checks like an own option. */
export function separateListeners(options: ExecuteOptions | ResumeOptions | Omit<ForkOptions, 'executionId'>): {
  readonly listeners: CallerOptions;
  readonly data: Readonly<Record<string, unknown>>;
} {
  const { signal, onLog, onProgress, onCall, onApproval, beforeCall, ...rest } = options;
  // Values of headers are never stored, and the work is.
  const { onStart, clientHeaders: _headers, ...data } = rest as typeof rest & ExecuteOptions;
  const wrong = Object.entries(data).find(([, value]) => typeof value === 'function');
  if (wrong) {
    const message = `The option "${wrong[0]}" is a function, which a worker of the cluster cannot call. Remove it.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  return { listeners: { signal, onLog, onProgress, onCall, onApproval, beforeCall, onStart }, data };
}
