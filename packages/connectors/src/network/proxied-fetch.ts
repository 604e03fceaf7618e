import { type Dispatcher, ProxyAgent, fetch as undiciFetch } from 'undici';
import type { NamedProxy, UnusableProxy } from './proxies.ts';
import { answerProblem, certificateFix, connectProblem } from './proxy-problems.ts';

/** The options of a request to another program. */
export interface OutgoingInit extends RequestInit {
  /** Milliseconds without a byte of the answer after which the request fails. 0: none. Default: 300,000, the limit of Node. */
  readonly silenceMs?: number;
}

/** One agent per proxy keeps its connections. */
const agents = new Map<string, ProxyAgent>();

/** Sends a request through a proxy, like `outgoingFetch`. Rejects with a `TypeError`, as `fetch` does, whose `cause` names the proxy and the fix. */
export async function fetchThrough(
  proxy: NamedProxy | UnusableProxy,
  input: Parameters<typeof fetch>[0],
  { silenceMs, ...given }: OutgoingInit,
): Promise<Response> {
  if ('problem' in proxy) throw failed(`the proxy in ${proxy.variable} cannot be used: ${proxy.problem}`);
  const request = new Request(input, given);
  const { method, url, headers, redirect } = request;
  const signal = given.signal ?? request.signal;
  const { host, protocol } = new URL(url);
  // With a length, as `fetch` sends a text: some servers accept no other body.
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  const init = {
    method,
    redirect,
    signal,
    headers: [...headers] as [string, string][],
    dispatcher: withLimit(agentOf(proxy), silenceMs),
  };
  try {
    const response = (await undiciFetch(url, { ...init, ...(body && { body }) })) as unknown as Response;
    const problem = protocol === 'http:' ? answerProblem(proxy, host, response) : undefined;
    if (problem === undefined) return response;
    await response.body?.cancel();
    throw failed(problem);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ProxyFailure) throw error;
    throw failed(connectProblem(proxy, host, error) ?? certificateFix(proxy, host, error), error);
  }
}

function withLimit(agent: Dispatcher, silenceMs: number | undefined): Dispatcher {
  if (silenceMs === undefined) return agent;
  const limits = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
  return agent.compose((dispatch) => (options, handler) => dispatch({ ...options, ...limits }, handler));
}

function agentOf({ url }: NamedProxy): ProxyAgent {
  const known = agents.get(url.href);
  if (known) return known;
  const credentials = [url.username, url.password].map(decoded).join(':');
  const token = credentials === ':' ? {} : { token: `Basic ${Buffer.from(credentials).toString('base64')}` };
  // Proxies often refuse tunnels to other ports than that of HTTPS.
  const agent = new ProxyAgent({ uri: url.origin, proxyTunnel: false, ...token });
  agents.set(url.href, agent);
  return agent;
}

/** A failure of a proxy, in the form of an error of `fetch`. */
class ProxyFailure extends TypeError {}

function failed(problem: string | undefined, error?: unknown): Error {
  if (problem !== undefined) return new ProxyFailure('fetch failed', { cause: new Error(problem) });
  const { cause = error } = error as { cause?: unknown };
  return new TypeError('fetch failed', { cause });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
