import { once } from 'node:events';
import { type AddressInfo, BlockList, isIP } from 'node:net';
import type { ServerNotifier } from '@modelcontextprotocol/server';
import { ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/sandbox/internal';
import type { WebApplication } from './http.ts';
import { type HttpOptions, httpApplication } from './http.ts';
import { CONNECTION_LIMITS, type ConnectionLimits } from './listen/limits.ts';
import { openServer } from './listen/open-server.ts';

/** Where a server listens. */
export interface ListenAddress {
  /** An address of this machine. Addresses other than loopback need keys. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Limits of connections that override {@link CONNECTION_LIMITS}. */
  readonly connections?: Partial<ConnectionLimits>;
}

export interface ListenOptions extends HttpOptions, ListenAddress {
  /** Whether clients must send a key. Without keys, only loopback addresses are allowed. */
  readonly hasKeys?: boolean;
  /** The command that creates a key, for messages. */
  readonly createKey?: string;
}

/** Milliseconds for clients to read their responses when the server closes. */
const FLUSH_MS = 2_000;
/** Wildcard addresses, which are not host names. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** A listening web application. */
export interface Listening {
  /** Notifies subscribed MCP clients of changes. */
  readonly notify: ServerNotifier;
  readonly url: string;
  /** Cancels running requests and frees the port. */
  close(): Promise<void>;
}

/** Serves the web application on a port. Raises `CONFIG_INVALID` when that fails. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, hostnames = [], hasKeys = false, createKey = 'toolwright keys create --user NAME' } = options;
  if (!hasKeys && !isLoopback(host)) {
    const message = `Host ${host} is refused: without API keys, the server listens on loopback only. Create a key with "${createKey}", or remove --host or HOST.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const named = ANY_ADDRESS.has(host) ? [] : [bracketed(host)];
  return listenWith(httpApplication({ ...options, hostnames: [...hostnames, ...named] }), options);
}

/** Serves an application on a port. Raises `CONFIG_INVALID` when that fails. */
export async function listenWith<Application extends WebApplication>(
  application: Application,
  options: ListenAddress,
): Promise<Application & { readonly url: string }> {
  const { host, port } = options;
  const server = openServer(application, { ...CONNECTION_LIMITS, ...options.connections });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const message = `Cannot listen on ${host}, port ${port}: ${messageOf(error)}. Choose another --host or --port.`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause: error });
  }
  const address = server.address() as AddressInfo;
  return {
    ...application,
    url: `http://${bracketed(address.address)}:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      await application.close();
      server.closeIdleConnections();
      const flushed = setTimeout(() => server.closeAllConnections(), FLUSH_MS);
      await closed;
      clearTimeout(flushed);
    },
  };
}

/** Returns whether an address is a loopback address. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
