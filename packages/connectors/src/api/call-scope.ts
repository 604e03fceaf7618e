import { ToolwrightError } from '../errors.ts';
import type { CallScope } from './request.ts';

/** The limits of one call, and its names in messages. */
export interface ScopeOptions {
  readonly server: string;
  readonly tool: string;
  readonly timeoutMs: number;
  /** The signal of the caller. */
  readonly signal?: AbortSignal | undefined;
  /** Aborted when the connector is closed. */
  readonly closing: AbortSignal;
}

/** Runs the work of one call, which ends when its time is over, when the caller aborts it or when the connector is closed. */
export async function inScope<T>(options: ScopeOptions, work: (scope: CallScope) => Promise<T>): Promise<T> {
  const { server, tool, timeoutMs, signal, closing } = options;
  const controller = new AbortController();
  const end = (code: 'CANCELLED' | 'TOOL_TIMEOUT' | 'CLOSED', text: string) => () =>
    controller.abort(new ToolwrightError(code, text, { details: { server, tool } }));
  const onAbort = end('CANCELLED', `The call of ${tool} on ${server} was cancelled.`);
  const onClose = end('CLOSED', `${server} is closed. Create a new connector.`);
  const advice = `Raise mcpServers.${server}.timeoutMs, or ask for less.`;
  const timedOut = end('TOOL_TIMEOUT', `${tool} on ${server} did not answer within ${timeoutMs} ms. ${advice}`);
  const timer = setTimeout(timedOut, timeoutMs);
  const deadline = performance.now() + timeoutMs;
  if (closing.aborted) onClose();
  else if (signal?.aborted) onAbort();
  closing.addEventListener('abort', onClose);
  signal?.addEventListener('abort', onAbort);
  try {
    controller.signal.throwIfAborted();
    return await work({ signal: controller.signal, remainingMs: () => deadline - performance.now() });
  } catch (error) {
    // An aborted request reports another error than the reason of the abort.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', onClose);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Waits for shared work, which goes on when the signal of one call is aborted. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', onAbort);
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}
