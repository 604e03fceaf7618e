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
  /** Resolves when there is none. */
  whenIdle(): Promise<void>;
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
  const ids = new Set<unknown>();
  let waiting: (() => void)[] = [];
  const removed = () => {
    if (ids.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    get size() {
      return ids.size;
    },
    whenIdle: () => (ids.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    receive(received) {
      const messages = messagesOf(received);
      const added = requestIds(messages);
      const duplicate = added.find((id, index) => ids.has(id) || added.indexOf(id) !== index);
      if (duplicate !== undefined) {
        const message = `A request with the id ${JSON.stringify(duplicate)} is in flight. Use an id once, or wait for its answer.`;
        return { jsonrpc: '2.0', id: duplicate, error: { code: INVALID_REQUEST, message } };
      }
      for (const id of added) ids.add(id);
      for (const { method, params } of messages) {
        if (method === 'notifications/cancelled') ids.delete(params?.requestId);
      }
      removed();
      return undefined;
    },
    settle(answer) {
      for (const { id, method } of messagesOf(answer)) if (method === undefined) ids.delete(id);
      removed();
    },
    forget(received) {
      for (const id of requestIds(messagesOf(received))) ids.delete(id);
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

function requestIds(messages: readonly Message[]): readonly (string | number)[] {
  return messages.flatMap(({ id, method }) =>
    typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? [id] : [],
  );
}
