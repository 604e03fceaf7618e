import { type Client, ProtocolError } from '@modelcontextprotocol/client';

/** Milliseconds between two looks at an idle connection. */
const PING_INTERVAL_MS = 30_000;
/** Milliseconds for the answer to a ping. */
const PING_TIMEOUT_MS = 10_000;

/**
 * Pings an idle connection now and then and calls `onDead` once when no answer comes. Any answer is a sign of life,
 * an error too. The revision 2026-07-28 has no ping: call it for older ones only. Returns a function that stops it.
 */
export function watchHealth(
  client: Pick<Client, 'ping'>,
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
