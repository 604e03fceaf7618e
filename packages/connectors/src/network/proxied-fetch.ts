import { type Dispatcher, ProxyAgent, fetch as undiciFetch } from 'undici';
import type { NamedProxy, UnusableProxy } from './proxies.ts';

/** The options of a request to another program. */
export interface OutgoingInit extends RequestInit {
  /** Milliseconds without a byte of the answer after which the request fails. 0: none. Default: 300,000, the limit of Node. */
  readonly silenceMs?: number;
}

/** One agent per proxy keeps its connections. */
const agents = new Map<string, ProxyAgent>();

/** Errors of certificates that this machine does not trust. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/;
/** Errors of a connection that the proxy does not accept. */
const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;
/** Errors of a connection that ends before the answer. */
const CLOSED = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;
/** Statuses of proxies for requests that they do not pass on. */
const REFUSED: ReadonlySet<number> = new Set([403, 502, 503, 504]);
const MARKS = ['proxy-status', 'proxy-agent', 'proxy-connection', 'x-squid-error', 'x-cache-lookup'];

interface Cause {
  readonly message: string;
  readonly code?: string;
}

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

/** Returns why a proxy sent no answer of the server; undefined for other errors. */
export function connectProblem(proxy: NamedProxy, host: string, error: unknown): string | undefined {
  const causes = causesOf(error);
  for (const { message } of causes) {
    const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
    if (status !== undefined) return refusal(proxy, host, Number(status));
    if (/^Proxy Authentication Required/.test(message)) return refusal(proxy, host, 407);
  }
  const codes = causes.map((cause) => cause.code ?? '');
  const code = codes.find((each) => UNREACHABLE.test(each));
  const closed = codes.find((each) => CLOSED.test(each));
  if (code === undefined && closed === undefined) return undefined;
  if (code === undefined)
    return `the connection through the proxy ${proxy.shown} was closed without an answer (${closed}). Check ${proxy.variable}, or add ${host} to NO_PROXY`;
  return `the proxy ${proxy.shown} cannot be reached (${code}). Correct ${proxy.variable}, or add ${host} to NO_PROXY`;
}

/** Returns the problem of an answer that the proxy itself has written in place of the server; undefined for all others. */
export function answerProblem(proxy: NamedProxy, host: string, { status, headers }: Response): string | undefined {
  if (status === 407) return refusal(proxy, host, status);
  const isOwn = MARKS.some((name) => headers.has(name)) || !headers.has('content-type');
  return REFUSED.has(status) && isOwn ? refusal(proxy, host, status) : undefined;
}

/** Returns the fix for a certificate that this machine does not trust; undefined for other errors. */
export function certificateFix({ shown }: NamedProxy, host: string, error: unknown): string | undefined {
  const code = causesOf(error)
    .map((cause) => cause.code ?? '')
    .find((each) => UNTRUSTED.test(each));
  if (code === undefined) return undefined;
  return `this machine does not trust the certificate of ${host} behind the proxy ${shown} (${code}). If the proxy reads HTTPS, set NODE_EXTRA_CA_CERTS to the file of its certificate authority and start Toolwright again`;
}

function refusal({ shown, variable }: NamedProxy, host: string, status: number): string {
  const start = `the proxy ${shown} answered ${status} for ${host}`;
  if (status === 407)
    return `${start}: it wants a user and a password. Set ${variable} to http://USER:PASSWORD@HOST:PORT`;
  if (status === 403) return `${start}: it does not allow this host. Ask its operator, or add ${host} to NO_PROXY`;
  return `${start}: it cannot reach this host. Check the address, or add ${host} to NO_PROXY`;
}

function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = [];
  for (let each: unknown = error; each instanceof Error && causes.length < 5; each = each.cause) {
    const inner = each instanceof AggregateError ? each.errors : [];
    causes.push(each as Cause, ...(inner as Cause[]));
  }
  return causes;
}
