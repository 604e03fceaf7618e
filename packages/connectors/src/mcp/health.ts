import { type Client, ProtocolError } from '@modelcontextprotocol/client';

/** Milliseconds between two pings of an idle connection. */
const PING_INTERVAL_MS = 30_000;
/** Milliseconds for the answer to a ping. */
const PING_TIMEOUT_MS = 10_000;

/**
 * Pings an idle connection at an interval, and calls `onDead` once when there is no answer. An error answer counts as an
 * answer. Use it for revisions before 2026-07-28 only, which has no ping. Returns a function that stops the pings.
 */
export function watchHealth(
  client: Client,
  isIdle: () => boolean,
  onDead: () => void,
  intervalMs: number = PING_INTERVAL_MS,
): () => void {
  let asking = false;
  const timer = setInterval(async () => {
    if (asking || !isIdle()) return;
    asking = true;
    try {
      await client.ping({ timeout: Math.min(PING_TIMEOUT_MS, intervalMs) });
    } catch (error) {
      if (!(error instanceof ProtocolError)) {
        clearInterval(timer);
        onDead();
      }
    } finally {
      asking = false;
    }
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
