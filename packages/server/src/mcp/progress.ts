import type { ServerContext } from '@modelcontextprotocol/server';

/** Milliseconds between two progress notifications of one execution. Notifications in between are skipped. */
export const PROGRESS_INTERVAL_MS = 100;
/** The longest progress message. Longer messages are cut. */
const MAX_MESSAGE_CHARACTERS = 500;

/** Returns a function that notifies the client of progress. Without a progress token in the request, it does nothing. */
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
    // The client may have disconnected. Sending the result detects that.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
