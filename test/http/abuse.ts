/** What the server has before the cases come, for cases that go for it. */
export interface Facts {
  readonly port: number;
  /** Things of the user `ada`; cases are sent by `local`, or with a key of `bob`. */
  readonly session: string;
  readonly task: string;
}

/** One request that means no good, as it goes over the wire, and what must come back. */
export interface AbuseCase {
  readonly name: string;
  readonly send: (facts: Facts) => string | Buffer;
  readonly status: number;
  /** The `code` of the problem; its `type` is made of it. Without one the request is answered, and does no harm. */
  readonly code?: string;
  /** Where clients show keys: who sends it is `bob`. */
  readonly isKeyed?: boolean;
  readonly check?: (head: string) => boolean;
}

/** A request with a Host header and a fitting length, as a client that behaves would write it. */
export function request(
  line: string,
  { headers = [], body = '' }: { headers?: readonly string[]; body?: string | Buffer } = {},
): (facts: Facts) => Buffer {
  return ({ port }) => {
    const isHostThere = headers.some((header) => /^host:/i.test(header));
    const head = [
      `${line} HTTP/1.1`,
      ...(isHostThere ? [] : [`Host: 127.0.0.1:${port}`]),
      'Connection: close',
      ...(body.length > 0 ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
      ...headers,
    ];
    // Each character is one byte: some cases send what is no text.
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
  };
}

const JSON_TYPE = 'Content-Type: application/json';

/** A POST of JSON text. */
export function post(path: string, body: string | Buffer, headers: readonly string[] = []): AbuseCase['send'] {
  return request(`POST ${path}`, { headers: [JSON_TYPE, ...headers], body });
}

/** Bytes as they are, after a request line and a Host header. */
export function raw(line: string, rest: string): AbuseCase['send'] {
  return ({ port }) => Buffer.from(`${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${rest}`, 'latin1');
}
