import type { ServerContext } from '@modelcontextprotocol/server';

/** Milliseconds between two progress notifications of one execution. Notifications in between are skipped. */
export const PROGRESS_INTERVAL_MS = 100;
/** The longest progress message. Longer messages are cut. */
const MAX_MESSAGE_CHARACTERS = 500;

/** Milliseconds without news after which a client gets a notification: many wait for 60 s only. */
const HEARTBEAT_MS = 15_000;

/** Progress notifications of one request. */
export interface ProgressReporter {
  readonly report: (message: string) => void;
  /** Passes on the progress report of a tool, with its numbers. */
  tool(report: unknown): void;
  close(): void;
}

/** Notifies the client of progress, also while there is none. Without a progress token in the request, it does nothing. */
export function progressReporter({ mcpReq }: ServerContext, heartbeatMs: number = HEARTBEAT_MS): ProgressReporter {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { report: () => undefined, tool: () => undefined, close: () => undefined };
  let progress = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  const send = (message: string, numbers: { readonly progress: number; readonly total?: number }) => {
    lastMs = performance.now();
    const params = { progressToken, ...numbers, ...(message && { message: message.slice(0, MAX_MESSAGE_CHARACTERS) }) };
    // The client may have disconnected. Sending the result detects that.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const isDue = (afterMs: number) => performance.now() - lastMs >= afterMs;
  const heartbeat = setInterval(() => {
    progress++;
    if (isDue(heartbeatMs)) send('still running', { progress });
  }, heartbeatMs);
  heartbeat.unref();
  return {
    report(message) {
      progress++;
      if (isDue(PROGRESS_INTERVAL_MS)) send(message, { progress });
    },
    tool(report) {
      const { progress: reached, total, message } = Object(report);
      if (typeof reached !== 'number') return;
      // The progress of a request must grow: the heartbeat goes on from here.
      progress = Math.max(progress, reached);
      if (!isDue(PROGRESS_INTERVAL_MS)) return;
      send(typeof message === 'string' ? message : '', {
        progress,
        total: typeof total === 'number' ? total : undefined,
      });
    },
    close: () => clearInterval(heartbeat),
  };
}
