import type { ServerContext } from '@modelcontextprotocol/server';

/** Milliseconds between two progress notifications of one execution; what comes faster is skipped. */
export const PROGRESS_INTERVAL_MS = 100;
/** Characters of a progress message. */
const MAX_MESSAGE_CHARACTERS = 500;

/** Tells a client how an execution goes on, when it asked for that with a progress token; else does nothing. */
export function progressReporter({ mcpReq }: ServerContext): (message: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  return (message) => {
    progress++;
    const now = performance.now();
    if (now - lastMs < PROGRESS_INTERVAL_MS) return;
    lastMs = now;
    const params = { progressToken, progress, message: message.slice(0, MAX_MESSAGE_CHARACTERS) };
    // The client may be gone, which the end of the execution will tell.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
