import { ToolwrightError } from '../../errors.ts';

/** Waits for work before a call until the caller aborts `signal`. Raises `CANCELLED`. */
export async function orCancelled<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  tool: string,
  server: string,
): Promise<T> {
  if (signal === undefined) return work;
  work.catch(() => undefined);
  const error = () =>
    new ToolwrightError('CANCELLED', `The call of ${tool} on ${server} was cancelled before it was sent.`);
  if (signal.aborted) throw error();
  let onAbort: () => void = () => undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(error());
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, cancelled]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
