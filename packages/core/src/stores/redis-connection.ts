import type { Redis } from 'ioredis';
import { unavailable } from './store.ts';

/** A client that reconnects by itself, and answers or fails within its time. */
export interface Connection {
  /** Where the server is, without user and password: for errors. */
  readonly address: string;
  call(...command: [string, ...(string | number | Buffer)[]]): Promise<unknown>;
  close(): void;
}

const FIRST_RECONNECT_MS = 50;
const LONGEST_RECONNECT_MS = 1_000;

/** Makes a client; the connection itself is made by the first command. Rejects when `ioredis` is not installed. */
export async function connect(url: string, timeoutMs: number): Promise<Connection> {
  const client = await openClient(url, timeoutMs);
  const { host, port, path } = client.options;
  return {
    address: path ?? `${host}:${port}`,
    call: (name, ...values) => client.callBuffer(name, ...values),
    close: () => client.disconnect(),
  };
}

/** The client itself, for libraries that speak to Redis on their own; like {@link connect}. End it by `disconnect`. */
export async function openClient(url: string, timeoutMs: number): Promise<Redis> {
  const Client = await loadClient();
  const options = {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    // A command that was sent may have been done: sent again, it would be done twice.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times: number) => Math.min(FIRST_RECONNECT_MS * times, LONGEST_RECONNECT_MS),
  };
  const client = new Client(url, options);
  // Every command that fails by it rejects with the reason; without a listener the client would print it as well.
  client.on('error', () => undefined);
  return client;
}

async function loadClient(): Promise<typeof Redis> {
  try {
    return (await import('ioredis')).Redis;
  } catch (error) {
    throw unavailable(
      'The Redis store needs the package ioredis, which is not installed. Run: npm install ioredis',
      error,
    );
  }
}
