/** The used part of `docker-modem`, which has no types and may not be installed. */
declare module 'docker-modem' {
  import type { Duplex } from 'node:stream';

  export interface ConnectionSettings {
    readonly hijack?: boolean;
    readonly file?: Buffer;
    readonly abortSignal?: AbortSignal;
  }

  export interface DialOptions extends ConnectionSettings {
    readonly method: string;
    readonly path: string;
    readonly options?: object;
    readonly statusCodes: Readonly<Record<number, true | string>>;
    readonly isStream?: boolean;
  }

  export default class Modem {
    constructor(options?: { readonly socketPath?: string });
    dial(options: DialOptions, callback: (error: Error | null, answer: Duplex) => void): void;
  }
}
