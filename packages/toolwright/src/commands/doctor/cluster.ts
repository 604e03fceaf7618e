import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolwrightConfig } from '@toolwright/core';
import { messageOf } from '@toolwright/core/internal';
import { clusterUrl, openNotifications, openPostgres } from '@toolwright/storage/internal';
import type { Finding } from './finding.ts';

/** Milliseconds in which a notification must arrive. */
const ARRIVAL_MS = 5_000;

/** Returns which database carries the messages of a cluster, and whether they arrive without Redis. Nothing for other stores. */
export async function clusterFindings({ store, redis }: ToolwrightConfig): Promise<Finding[]> {
  const url = clusterUrl(store);
  if (url === undefined) return [];
  const subject = 'cluster';
  if (redis !== undefined) return [{ subject, ok: true, text: 'state in PostgreSQL, messages over Redis' }];
  try {
    if (await notificationsArrive(url))
      return [{ subject, ok: true, text: 'state and messages in PostgreSQL; Redis is optional' }];
  } catch (error) {
    return [{ subject, ok: false, text: messageOf(error) }];
  }
  const text = `a notification of PostgreSQL did not arrive within ${ARRIVAL_MS / 1_000} s: workers begin new work later`;
  const fix = 'connect to PostgreSQL directly, set pool_mode = session in PgBouncer, or set TOOLWRIGHT_REDIS';
  return [{ subject, ok: true, warning: true, text, fix }];
}

/** Sends a notification from one connection to another one. Raises `STORE_UNAVAILABLE`. */
async function notificationsArrive(url: string): Promise<boolean> {
  await using database = openPostgres({ url });
  await database.read('select 1');
  await using notifications = openNotifications({ url, logger: { warn: () => undefined } });
  const channel = `toolwright_doctor_${randomUUID()}`;
  const arrival = new Promise<boolean>((resolve) => {
    const { ready } = notifications.listen(channel, () => resolve(true));
    void ready.then(() => notifications.notify(channel, ['']));
  });
  return await Promise.race([arrival, sleep(ARRIVAL_MS, false)]);
}
