import { addressesOf } from './addresses.ts';
import type { OutgoingInit } from './proxied-fetch.ts';
import { proxyFor } from './proxies.ts';

/** Where Node keeps the dispatcher of its `fetch`, and since Node 24 a form of it for earlier versions of undici. */
const GLOBAL_DISPATCHERS = ['undici.globalDispatcher.2', 'undici.globalDispatcher.1'].map((name) => Symbol.for(name));
/** The classes of the dispatchers that Node sets. */
const OF_NODE: ReadonlySet<string> = new Set(['Agent', 'Dispatcher1Wrapper']);

const agents = new Map<number, NonNullable<RequestInit['dispatcher']>>();

/**
 * Sends a request like `fetch`, through the proxy of the environment: `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`, except for this
 * machine and the hosts of `NO_PROXY`. All requests of Toolwright to other programs use it. Behind a proxy, pass `redirect: 'manual'`
 * or `'error'`: the proxy of the first address is that of all redirects. Pass a signal in `init`: that of a `Request` ends nothing once
 * the `Request` is collected. Rejects like `fetch`, with the proxy and the fix in `cause`.
 */
export async function outgoingFetch(
  input: Parameters<typeof fetch>[0],
  { silenceMs, ...init }: OutgoingInit = {},
): Promise<Response> {
  const proxy = proxyFor(new URL(input instanceof Request ? input.url : String(input)));
  if (proxy === undefined) return fetch(input, { ...init, ...agentFor(silenceMs) });
  const { fetchThrough } = await import('./proxied-fetch.ts');
  return fetchThrough(proxy, input, { silenceMs, ...init });
}

/** Returns the agent of requests with this limit. A dispatcher that the process has set, for example for a proxy, stays. */
function agentFor(silenceMs: number | undefined): RequestInit {
  if (silenceMs === undefined) return {};
  const classes = GLOBAL_DISPATCHERS.flatMap((name) => Reflect.get(globalThis, name)?.constructor ?? []);
  const [Agent] = classes;
  if (Agent?.name !== 'Agent' || !classes.every(({ name }) => OF_NODE.has(name))) return {};
  const dispatcher = agents.get(silenceMs) ?? new Agent({ headersTimeout: silenceMs, bodyTimeout: silenceMs });
  agents.set(silenceMs, dispatcher);
  return { dispatcher };
}

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
