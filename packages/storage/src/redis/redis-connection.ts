import type { Command, Redis, RedisOptions } from 'ioredis';
import { unavailable } from '../store.ts';

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

/** Milliseconds between two probes of a server that does not answer. */
const PROBE_INTERVAL_MS = 500;
/** Commands that connect and probe. They are sent while the circuit is open. */
const PROBES: ReadonlySet<string> = new Set(['hello', 'auth', 'select', 'client', 'info', 'ping']);

type Client = typeof Redis;
type Stream = Parameters<Redis['sendCommand']>[1];

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

/**
 * Returns the class of a client with a circuit breaker, for a server that accepts connections and does not answer. A command
 * without an answer after `timeoutMs` rejects, and so does every further command, at once. The client probes the server
 * in the background, also on new connections. The first answer ends this state.
 */
function withCircuit(Client: Client, timeoutMs: number): new (url: string, options: RedisOptions) => Redis {
  return class extends Client {
    readonly #timed = new WeakSet<Command>();
    #isOpen = false;
    #answeredAt = Number.NEGATIVE_INFINITY;

    // The client sends a command again that waited for the connection.
    override sendCommand(command: Command, stream?: Stream): unknown {
      if (this.#isOpen && !PROBES.has(command.name)) {
        command.reject(new Error('it does not answer, so the command was not sent'));
        return command.promise;
      }
      if (!this.#timed.has(command)) this.#time(command);
      return super.sendCommand(command, stream);
    }

    #time(command: Command): void {
      this.#timed.add(command);
      const sentAt = performance.now();
      let isLate = false;
      const timer = setTimeout(() => {
        // A busy event loop runs timers before it reads an answer that is already here.
        setImmediate(() => {
          isLate = true;
          command.reject(new Error(`no answer after ${timeoutMs} ms`));
        });
      }, timeoutMs);
      const answered = () => {
        clearTimeout(timer);
        this.#answeredAt = performance.now();
        this.#isOpen = false;
      };
      command.promise.then(answered, (error: Error) => {
        // Redis refused the command, so it answers.
        if (error.name === 'ReplyError') return answered();
        clearTimeout(timer);
        // A server that answered other commands meanwhile is slow, and does not hang.
        if (isLate && this.#answeredAt < sentAt) this.#open();
      });
    }

    #open(): void {
      if (this.#isOpen) return;
      this.#isOpen = true;
      void this.#probe();
    }

    async #probe(): Promise<void> {
      while (this.#isOpen && this.status !== 'end') {
        await this.ping().catch(() => undefined);
        if (!this.#isOpen) return;
        // The server may have lost this connection.
        if (this.status === 'ready') this.disconnect(true);
        await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL_MS).unref());
      }
    }
  };
}
