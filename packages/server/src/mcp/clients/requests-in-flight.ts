import type { Transport } from '@modelcontextprotocol/server';

/** A refusal of a request, in the form of JSON-RPC. */
interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly error: { readonly code: number; readonly message: string };
}

/** The ids of the requests of one client that have no answer yet. */
export interface RequestsInFlight {
  readonly size: number;
  /** Resolves when there is none whose method counts. Default: all count. */
  whenIdle(counts?: (method: unknown) => boolean): Promise<void>;
  /**
   * Adds the requests of a received message or batch. Returns the refusal when one of their ids is in flight, and adds none
   * of them then. A cancellation removes its request.
   */
  receive(received: unknown): Refusal | undefined;
  /** Removes the request of an answer. */
  settle(answer: unknown): void;
  /** Removes the requests of a message or batch that was refused. */
  forget(received: unknown): void;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

/** An invalid request, by JSON-RPC. */
const INVALID_REQUEST = -32600;

/**
 * Creates an empty set. JSON-RPC matches answers, cancellations and progress by id. With two requests of one id in flight,
 * a client would receive the answer of the other one.
 */
export function requestsInFlight(): RequestsInFlight {
  const methods = new Map<unknown, unknown>();
  const waiting = new Map<() => void, (method: unknown) => boolean>();
  const removed = () => {
    for (const [resolve, counts] of waiting) {
      if ([...methods.values()].some(counts)) continue;
      waiting.delete(resolve);
      resolve();
    }
  };
  return {
    get size() {
      return methods.size;
    },
    whenIdle(counts = () => true) {
      return new Promise((resolve) => {
        waiting.set(resolve, counts);
        removed();
      });
    },
    receive(received) {
      const messages = messagesOf(received);
      const added = requestsOf(messages);
      const ids = added.map(({ id }) => id);
      const duplicate = ids.find((id, index) => methods.has(id) || ids.indexOf(id) !== index);
      if (duplicate !== undefined) {
        const message = `A request with the id ${JSON.stringify(duplicate)} is in flight. Use an id once, or wait for its answer.`;
        return { jsonrpc: '2.0', id: duplicate, error: { code: INVALID_REQUEST, message } };
      }
      for (const { id, method } of added) methods.set(id, method);
      for (const { method, params } of messages) {
        if (method === 'notifications/cancelled') methods.delete(params?.requestId);
      }
      removed();
      return undefined;
    },
    settle(answer) {
      for (const { id, method } of messagesOf(answer)) if (method === undefined) methods.delete(id);
      removed();
    },
    forget(received) {
      for (const { id } of requestsOf(messagesOf(received))) methods.delete(id);
      removed();
    },
  };
}

/** Returns a transport that refuses requests whose id is in flight. `onMessage` receives the others. */
export function withUniqueIds(
  wire: Transport,
  inFlight: RequestsInFlight,
  onMessage: (message: unknown) => void,
): Transport {
  const transport: Transport = {
    async start() {
      wire.onclose = () => transport.onclose?.();
      wire.onerror = (error) => transport.onerror?.(error);
      wire.onmessage = (message, extra) => {
        const refusal = inFlight.receive(message);
        if (refusal === undefined) {
          onMessage(message);
          transport.onmessage?.(message, extra);
        } else wire.send(refusal).catch((error: Error) => transport.onerror?.(error));
      };
      await wire.start();
    },
    send(message, options) {
      inFlight.settle(message);
      return wire.send(message, options);
    },
    close: () => wire.close(),
  };
  return transport;
}

function messagesOf(received: unknown): readonly Message[] {
  const messages = Array.isArray(received) ? received : [received];
  return messages.filter((message) => typeof message === 'object' && message !== null);
}

function requestsOf(
  messages: readonly Message[],
): readonly { readonly id: string | number; readonly method: string }[] {
  return messages.flatMap(({ id, method }) =>
    typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? [{ id, method }] : [],
  );
}
