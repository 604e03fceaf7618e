/** Existing resources of the server, for cases that attack them. */
export interface Facts {
  readonly port: number;
  /** Resources of the user `ada`. Cases are sent by `local`, or with a key of `bob`. */
  readonly session: string;
  readonly task: string;
}

/** One hostile request, as bytes on the wire, and the expected answer. */
export interface AbuseCase {
  readonly name: string;
  readonly send: (facts: Facts) => string | Buffer;
  readonly status: number;
  /** The `code` of the problem, from which its `type` is made. Without it, the request must succeed without harm. */
  readonly code?: string;
  /** Whether the request has the key of `bob`, in the place where clients send keys. */
  readonly isKeyed?: boolean;
  readonly check?: (head: string) => boolean;
}

/** Returns a request with a Host header and a correct length, like that of an ordinary client. */
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
    // One byte per character: some cases send bytes that are not text.
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
  };
}

const JSON_TYPE = 'Content-Type: application/json';

/** Returns a POST of JSON text. */
export function post(path: string, body: string | Buffer, headers: readonly string[] = []): AbuseCase['send'] {
  return request(`POST ${path}`, { headers: [JSON_TYPE, ...headers], body });
}

/** Returns bytes unchanged, after a request line and a Host header. */
export function raw(line: string, rest: string): AbuseCase['send'] {
  return ({ port }) => Buffer.from(`${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${rest}`, 'latin1');
}
