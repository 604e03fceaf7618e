import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { messageOf, ToolwrightError } from '../errors.ts';
import { type HttpApplication, type HttpOptions, httpApplication } from './http.ts';

export interface ListenOptions extends HttpOptions {
  /** An address of this machine. Others than those of the loopback can be reached from outside. */
  readonly host: string;
  /** 0 takes any port that is free. */
  readonly port: number;
}

/** Addresses that stand for all of this machine and are no names of it. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** A web application on a port. */
export interface Listening extends Pick<HttpApplication, 'notify'> {
  readonly url: string;
  /** Ends what is in flight, and frees the port. */
  close(): Promise<void>;
}

/** Serves the web application on a port. Raises `CONFIG_INVALID` where that is not possible. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, hostnames = [] } = options;
  const named = ANY_ADDRESS.has(host) ? [] : [bracketed(host)];
  const application = httpApplication({ ...options, hostnames: [...hostnames, ...named] });
  const server = createAdaptorServer({ fetch: application.fetch }) as Server;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const message = `Cannot listen on ${host}, port ${port}: ${messageOf(error)}. Choose another by --host and --port.`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause: error });
  }
  const address = server.address() as AddressInfo;
  return {
    notify: application.notify,
    url: `http://${bracketed(address.address)}:${address.port}`,
    async close() {
      server.close();
      await application.close();
      server.closeAllConnections();
    },
  };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
