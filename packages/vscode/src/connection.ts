import type { SecretStorage } from 'vscode';

/** Names of all secrets of this extension begin with it. */
export const SECRET_PREFIX = 'toolwright.key ';
/** Headers that a page may set. The credential is not one of them. */
const SENT_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'content-type', 'idempotency-key', 'x-toolwright-dashboard'],
]);
const SESSION = 'dashboard/session';
/** The characters of a key or a token (RFC 6750). */
const KEY = /^[\w.~+/-]+=*$/;

/** A request of a page. */
interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ArrayBuffer | undefined;
  readonly signal?: AbortSignal;
}

/** The parts of a session that this extension uses. */
export interface Session {
  readonly user: string;
  readonly allUsers: boolean;
  readonly by: 'key' | 'token' | 'link' | 'local';
}

/** The way to the configured server. */
export interface Connection {
  /** The URL of the server, with a slash at its end. Raises an error for a wrong setting. */
  server(): URL;
  /**
   * Sends a request with the key of the server. Raises an error for a path that is not below the URL of the server, for a
   * redirect, and without a connection.
   */
  send(path: string, sent?: Sent): Promise<Response>;
  /** Returns the session; undefined when the server asks for a key, or refuses the kept one. */
  session(signal?: AbortSignal): Promise<Session | undefined>;
  /**
   * Checks a key at the server and keeps it. Returns the session; undefined for a refused key, which is not kept. A server
   * that needs no key gets none.
   */
  signIn(key: string): Promise<Session | undefined>;
  /** Forgets the key of the server. */
  signOut(): Promise<void>;
}

interface ConnectionOptions {
  /** Returns the setting. */
  readonly readUrl: () => string;
  readonly secrets: SecretStorage;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Creates the way to the configured server. Each URL has its own key, which goes nowhere else. */
export function createConnection({ readUrl, secrets }: ConnectionOptions): Connection {
  const server = () => serverUrlOf(readUrl());
  const nameOf = (url: URL) => `${SECRET_PREFIX}${url.href}`;
  const keyFor = async (url: URL) => (isPrivate(url) ? secrets.get(nameOf(url)) : undefined);
  const sessionOf = async (response: Response): Promise<Session | undefined> => {
    if (response.ok) return (await response.json()) as Session;
    await response.body?.cancel();
    if (response.status === 401) return undefined;
    throw new Error(`The server answered ${response.status} for its session.`);
  };
  const send = async (path: string, sent: Sent = {}) => {
    const url = server();
    return sendWith(await keyFor(url), targetOf(url, path), sent);
  };
  return {
    server,
    send,
    session: async (signal) => sessionOf(await send(SESSION, { signal })),
    async signIn(key) {
      const url = server();
      if (!isPrivate(url))
        throw new Error(`${url.href} is not encrypted, so that others could read the key. Use a URL with https.`);
      const target = targetOf(url, SESSION);
      const local = await sessionOf(await sendWith(undefined, target, {}));
      if (local) await secrets.delete(nameOf(url));
      if (local || !KEY.test(key)) return local;
      const session = await sessionOf(await sendWith(key, target, {}));
      if (session) await secrets.store(nameOf(url), key);
      return session;
    },
    signOut: async () => secrets.delete(nameOf(server())),
  };
}

function sendWith(key: string | undefined, target: URL, { method = 'GET', headers = {}, body, signal }: Sent) {
  const allowed = Object.entries(headers).filter(([name]) => SENT_HEADERS.has(name.toLowerCase()));
  return fetch(target, {
    method,
    headers: { ...Object.fromEntries(allowed), ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    // A redirect could lead the key to another server.
    redirect: 'error',
    body,
    signal,
  });
}

/** Returns the URL of a server from the setting, with a slash at its end. Raises an error for anything but HTTP and HTTPS. */
export function serverUrlOf(text: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    const problem = `The setting toolwright.serverUrl is "${text.slice(0, 80)}".`;
    throw new Error(`${problem} Set it to a URL without user and password, such as http://127.0.0.1:8377.`);
  }
  return new URL(`${url.origin}${url.pathname.replace(/\/*$/, '/')}`);
}

/**
 * Returns the URL of a path that a page asks for. Raises an error when it is not below the URL of the server, also for a
 * reverse proxy that decodes the path once more.
 */
export function targetOf(server: URL, path: string): URL {
  const target = URL.canParse(path, server.href) ? new URL(path, server) : undefined;
  const isBelow =
    target?.origin === server.origin && target.pathname.startsWith(server.pathname) && target.username === '';
  if (!target || !isBelow || /^[/\\]/.test(path) || hasParent(target.pathname))
    throw new Error(`The path "${path.slice(0, 80)}" is not below the URL of the server.`);
  return target;
}

function hasParent(path: string): boolean {
  try {
    return decodeURIComponent(path)
      .split(/[/\\]/)
      .some((part) => /^(\.|%2e){1,2}$/i.test(part));
  } catch {
    return true;
  }
}

/** Returns whether a key stays secret on its way to a server: it is encrypted, or does not leave this machine. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || LOOPBACK.test(hostname);
}
