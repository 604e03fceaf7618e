/** One request to an API. */
export interface ApiRequest {
  readonly method: string;
  /** It may be sent again after the server has refused it. Default: depends on the method. */
  readonly isIdempotent?: boolean;
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: string | FormData | Uint8Array<ArrayBuffer>;
}

/** A complete answer of an API. */
export interface ApiAnswer {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** The time and the signal of one call, which all of its requests share. */
export interface CallScope {
  /** Aborted with a `ToolwrightError`: `CANCELLED`, `TOOL_TIMEOUT` or `CLOSED`. */
  readonly signal: AbortSignal;
  /** Returns the milliseconds that are left. */
  remainingMs(): number;
}
