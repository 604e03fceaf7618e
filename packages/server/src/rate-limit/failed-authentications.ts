import { isIPv6 } from 'node:net';
import type { RateLimitSettings } from '@toolwright/core/internal';
import { expandIPv6 } from 'hono/utils/ipaddr';
import type { Redis } from 'ioredis';
import { quotaError } from './quota-error.ts';
import { windowCounter } from './windows.ts';

/** An IPv4 address as a socket for both tells it. */
const MAPPED = /^::ffff:(\d+(?:\.\d+){3})$/i;
/** Groups of an IPv6 address that are one subscriber's: the last 64 bits are hers to choose. */
const SUBSCRIBER_GROUPS = 4;

/**
 * Counts credentials that do not count, by the address that shows them. Raises `QUOTA_EXCEEDED` for those over the quota,
 * and `STORE_UNAVAILABLE`.
 */
export function failureCounter(
  { address: { failedAuthenticationsPerMinute: quota } }: RateLimitSettings,
  redis?: Redis,
): (address: string | undefined) => Promise<void> {
  if (quota === 0) return async () => undefined;
  const count = windowCounter('toolwright:failed-authentications', quota, redis);
  return async (address) => {
    const { isOver, resetSeconds } = await count(networkOf(address ?? ''));
    if (isOver) throw quotaError('address', 'failedAuthenticationsPerMinute', quota, Math.max(1, resetSeconds));
  };
}

/** What is counted as one address. */
function networkOf(address: string): string {
  const [, mapped] = MAPPED.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  return isIPv6(plain) ? expandIPv6(plain).split(':').slice(0, SUBSCRIBER_GROUPS).join(':') : plain;
}
