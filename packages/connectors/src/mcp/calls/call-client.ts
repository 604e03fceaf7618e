import {
  Client,
  type JSONRPCMessage,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import type { CallClock } from '../input/call-clock.ts';
import { FIRST_CALL_ID, takeResult } from '../messages/held-results.ts';
import { markedTask } from './tasks.ts';

interface OpenCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: (report: object) => void;
}

/** The parameters of `tools/call`. */
export interface CallParameters {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly _meta: Record<string, unknown> | undefined;
}

/**
 * A client whose calls of tools go straight to the transport. The SDK copies and validates each message several times, which takes longer
 * than all else of a call. {@link MessageReader} has read their answers before. The SDK does all the rest.
 */
export class CallClient extends Client {
  readonly #calls = new Map<number, OpenCall>();
  #nextId = FIRST_CALL_ID;
  #transport: Transport | undefined;
  /** Whether {@link sendCall} sends the calls of this connection. */
  sendsCalls = false;
  #envelope: Readonly<Record<string, unknown>> | undefined;

  /** Receives the answers of calls. Call it after the handshake: the SDK sets the handlers of the transport then. */
  takeCalls(transport: Transport): void {
    const { onmessage } = transport;
    // Over HTTP, the revision 2026-07-28 has headers with arguments and a stream per request, which the SDK handles.
    if (this.getProtocolEra() === 'modern' && transport.hasPerRequestStream) return;
    this.sendsCalls = true;
    this.#transport = transport;
    this.#envelope = this._outboundMetaEnvelope();
    transport.onmessage = (message, extra) => {
      if (!this.#take(message)) onmessage?.(message, extra);
    };
  }

  /** Sends a call, and resolves to its result. Raises the errors of the SDK. The end of the clock cancels the call at the server. */
  sendCall(params: CallParameters, onProgress: (report: object) => void, clock: CallClock): Promise<unknown> {
    const transport = this.#transport;
    if (transport === undefined) return Promise.reject(new SdkError(SdkErrorCode.NotConnected, 'Not connected'));
    const id = this.#nextId++;
    const meta = { progressToken: id, ...this.#envelope, ...params._meta };
    return new Promise((resolve, reject) => {
      clock.onEnd((error) => {
        if (!this.#remove(id)) return;
        reject(error);
        const cancelled = { requestId: id, reason: String(error), _meta: this.#envelope };
        const message = { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params: cancelled };
        transport.send(message).catch((failure: Error) => this.onerror?.(failure));
      });
      this.#calls.set(id, { resolve, reject, onProgress });
      const message = { jsonrpc: '2.0' as const, id, method: 'tools/call', params: { ...params, _meta: meta } };
      transport.send(message).catch((error) => {
        if (this.#remove(id)) reject(error);
      });
    });
  }

  protected override _onclose(): void {
    const open = [...this.#calls];
    this.#transport = undefined;
    super._onclose();
    const error = new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed');
    for (const [id, { reject }] of open) if (this.#remove(id)) reject(error);
  }

  /** Takes the answer of a call, or a report of its progress. Returns false for any other message. */
  #take(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      if (message.method !== 'notifications/progress') return false;
      const { progressToken, ...report } = message.params as { readonly progressToken: unknown };
      if (!(Number(progressToken) >= FIRST_CALL_ID)) return false;
      this.#calls.get(Number(progressToken))?.onProgress(report);
      return true;
    }
    const id = Number(message.id);
    // The answer of a cancelled call is late, and nobody waits for it.
    if (!(id >= FIRST_CALL_ID)) return false;
    const call = this.#remove(id);
    if ('result' in message) {
      const { result } = message;
      const { resultType } = result;
      if (resultType === undefined) call?.resolve(result);
      else call?.resolve(resultType === 'task' ? markedTask(result) : (takeResult(result) ?? result));
    } else call?.reject(ProtocolError.fromError(message.error.code, message.error.message, message.error.data));
    return true;
  }

  #remove(id: number): OpenCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }
}
