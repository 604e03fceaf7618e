import { isIPv6 } from 'node:net';
import type { RateLimitSettings } from '@toolwright/core/internal';
import { expandIPv6 } from 'hono/utils/ipaddr';
import { quotaError } from './quota-error.ts';
import { type SharedWindows, windowCounter } from './windows.ts';

/** An IPv4 address in the form of a dual-stack socket. */
const MAPPED = /^::ffff:(\d+(?:\.\d+){3})$/i;
/** Groups of an IPv6 address that identify a subscriber, who may choose the last 64 bits freely. */
const SUBSCRIBER_GROUPS = 4;

/** Counts requests of client addresses by one of their quotas. Raises `QUOTA_EXCEEDED` over the quota, and `STORE_UNAVAILABLE`. */
export function addressCounter(
  name: keyof RateLimitSettings['address'],
  { address: { [name]: quota } }: RateLimitSettings,
  shared: SharedWindows = {},
): (address: string | undefined) => Promise<void> {
  if (!quota) return async () => undefined;
  const count = windowCounter(name, quota, shared);
  return async (address) => {
    const { isOver, resetSeconds } = await count(networkOf(address ?? ''));
    if (isOver) throw quotaError('address', name, quota, Math.max(1, resetSeconds));
  };
}

/** Returns the network that is counted as one address. */
function networkOf(address: string): string {
  const [, mapped] = MAPPED.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  return isIPv6(plain) ? expandIPv6(plain).split(':').slice(0, SUBSCRIBER_GROUPS).join(':') : plain;
}
