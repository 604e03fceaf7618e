import type { Command, Redis, RedisOptions } from 'ioredis';

/** Milliseconds between two probes of a server that does not answer. */
const PROBE_INTERVAL_MS = 500;
/** Commands that connect and probe. They are sent while the circuit is open. */
const PROBES: ReadonlySet<string> = new Set(['hello', 'auth', 'select', 'client', 'info', 'ping']);

type Client = typeof Redis;
type Stream = Parameters<Redis['sendCommand']>[1];

/**
 * Returns the class of a client with a circuit breaker, for a server that accepts connections and does not answer. A command
 * without an answer after `timeoutMs` rejects, and so does every further command, at once. The client probes the server
 * in the background, also on new connections. The first answer ends this state.
 */
export function withCircuit(Client: Client, timeoutMs: number): new (url: string, options: RedisOptions) => Redis {
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
