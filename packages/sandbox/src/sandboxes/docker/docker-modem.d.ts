/** The used part of `docker-modem`, which has no types and may not be installed. */
declare module 'docker-modem' {
  import type { Duplex } from 'node:stream';

  export interface DialOptions {
    readonly method: string;
    readonly path: string;
    readonly options?: object;
    readonly statusCodes: Readonly<Record<number, true | string>>;
    readonly isStream?: boolean;
    readonly hijack?: boolean;
    readonly file?: Buffer;
    readonly abortSignal?: AbortSignal;
  }

  export default class Modem {
    constructor(options?: { readonly socketPath?: string });
    dial(options: DialOptions, callback: (error: Error | null, answer: Duplex) => void): void;
  }
}
