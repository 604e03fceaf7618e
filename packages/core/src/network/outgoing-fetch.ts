import { addressesOf } from './addresses.ts';
import { proxyFor } from './proxies.ts';

/**
 * Sends a request like `fetch`, through the proxy of the environment: `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`, except for this
 * machine and the hosts of `NO_PROXY`. All requests of Toolwright to other programs use it. Behind a proxy, pass `redirect: 'manual'`
 * or `'error'`: the proxy of the first address is that of all redirects. Rejects like `fetch`, with the proxy and the fix in `cause`.
 */
export const outgoingFetch: typeof fetch = async (input, init) => {
  const proxy = proxyFor(new URL(input instanceof Request ? input.url : String(input)));
  if (proxy === undefined) return fetch(input, init);
  const { fetchThrough } = await import('./proxied-fetch.ts');
  return fetchThrough(proxy, new Request(input, init));
};

/**
 * Returns the addresses of the host of a URL. Behind a proxy, a name that this machine cannot look up has none: the proxy looks it
 * up. HTTPS makes sure that the host has a certificate for the name. Rejects with the error of the system.
 */
export async function knownAddresses(url: URL): Promise<readonly string[]> {
  try {
    return await addressesOf(url.hostname);
  } catch (error) {
    if (url.protocol === 'https:' && proxyFor(url) !== undefined) return [];
    throw error;
  }
}
