/** The used part of `ws`, which has no types. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export interface ClientOptions {
    readonly headers?: Readonly<Record<string, string>>;
    readonly handshakeTimeout?: number;
    readonly maxPayload?: number;
    readonly perMessageDeflate?: boolean;
    readonly ca?: string | Buffer;
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    readonly servername?: string;
  }

  export class WebSocket extends EventEmitter {
    constructor(address: string | URL, protocols: readonly string[], options?: ClientOptions);
    readonly protocol: string;
    readonly bufferedAmount: number;
    readonly isPaused: boolean;
    on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): this;
    on(event: 'close', listener: (code: number, reason: Buffer) => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    on(event: 'open' | 'pong', listener: () => void): this;
    on(event: 'unexpected-response', listener: (request: unknown, response: IncomingMessage) => void): this;
    send(data: Buffer, done?: (error?: Error) => void): void;
    ping(): void;
    pause(): void;
    resume(): void;
    close(code?: number): void;
    terminate(): void;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: {
      readonly noServer: true;
      readonly handleProtocols?: (protocols: ReadonlySet<string>) => string | false;
    });
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      accept: (connection: WebSocket) => void,
    ): void;
  }
}
