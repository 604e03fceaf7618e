import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';

/** Milliseconds for the server to confirm a subscription. */
const CONFIRM_MS = 5_000;
/** Milliseconds before a broken subscription is opened again. */
const REOPEN_MS = 1_000;

/**
 * Subscribes to changes of the tool list where the protocol requires it (2026-07-28: `subscriptions/listen`); older
 * revisions send the notification without a subscription. Resolves when the server has confirmed, and keeps the subscription
 * until the client closes. Calls `onGap` when a change may have been missed.
 */
export async function subscribeToChanges(client: Client, onGap: () => void): Promise<void> {
  const announced = client.getServerCapabilities()?.tools?.listChanged === true;
  if (!announced || client.getProtocolEra() !== 'modern') return;
  await keepListening(client, { toolsListChanged: true }, onGap);
}

/**
 * Opens a subscription (2026-07-28: `subscriptions/listen`), and opens it again after it broke. Calls `onGap` then: an event may
 * have been missed. Resolves when the server has confirmed. Ends with the client, or when `signal` is aborted.
 */
export async function keepListening(
  client: Client,
  filter: Parameters<Client['listen']>[0],
  onGap: () => void,
  signal?: AbortSignal,
): Promise<void> {
  const subscription = await client.listen(filter, { timeout: CONFIRM_MS, signal });
  void subscription.closed.then(async (reason) => {
    if (reason !== 'remote') return;
    await sleep(REOPEN_MS, undefined, { ref: false });
    if (client.transport === undefined || signal?.aborted) return;
    onGap();
    await keepListening(client, filter, onGap, signal).catch(() => undefined);
  });
}
