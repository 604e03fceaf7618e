import type { Redis } from 'ioredis';
import { unavailable } from '../store.ts';
import { withCircuit } from './redis-circuit.ts';

/** A client that reconnects by itself. Every call answers or fails within the timeout, or at once while the server hangs. */
export interface Connection {
  /** Host and port, or the socket path, without user and password: for error messages. */
  readonly address: string;
  call(...command: [string, ...(string | number | Buffer)[]]): Promise<unknown>;
  close(): void;
}

/** Milliseconds that a command waits for its answer, and for the connection. */
export const REDIS_TIMEOUT_MS = 500;
/** Milliseconds until another attempt to connect. Commands do not wait so long. */
const CONNECT_TIMEOUT_MS = 5_000;
const FIRST_RECONNECT_MS = 50;
const LONGEST_RECONNECT_MS = 1_000;

/** Creates a client, which connects with its first command. Rejects with `STORE_UNAVAILABLE` when `ioredis` is not installed. */
export async function connect(url: string, timeoutMs: number): Promise<Connection> {
  const client = await openClient(url, timeoutMs);
  const { host, port, path } = client.options;
  return {
    address: path ?? `${host}:${port}`,
    call: (name, ...values) => client.callBuffer(name, ...values),
    close: () => client.disconnect(),
  };
}

/** Creates the `ioredis` client itself, for libraries that need one; otherwise like {@link connect}. Close it by `disconnect`. */
export async function openClient(url: string, timeoutMs: number): Promise<Redis> {
  const Client = withCircuit(await loadClient(), timeoutMs);
  const options = {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // The server may have executed an unanswered command already: a second attempt would execute it twice.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times: number) => Math.min(FIRST_RECONNECT_MS * times, LONGEST_RECONNECT_MS),
  };
  const client = new Client(url, options);
  // Each failed command rejects with the reason. Without a listener the client prints the error as well.
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
