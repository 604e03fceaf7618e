import { type AbuseCase, raw, request } from './abuse.ts';

const JSON_TYPE = 'Content-Type: application/json';
const CODE = '{"code":"return 1"}';

/** Requests that two parsers could read differently, or that no parser should accept. */
export const WIRE_CASES: readonly AbuseCase[] = [
  {
    name: 'a length and chunks',
    send: raw(
      'POST /execute',
      `${JSON_TYPE}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health`,
    ),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'two lengths',
    send: raw('POST /execute', `${JSON_TYPE}\r\nContent-Length: 19\r\nContent-Length: 5\r\n\r\n${CODE}`),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a negative length',
    send: raw('POST /execute', `${JSON_TYPE}\r\nContent-Length: -1\r\n\r\n`),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a length with a plus',
    send: raw('POST /execute', `${JSON_TYPE}\r\nContent-Length: +19\r\n\r\n${CODE}`),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a length in hexadecimal',
    send: raw('POST /execute', `${JSON_TYPE}\r\nContent-Length: 0x13\r\n\r\n${CODE}`),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a coding that is not chunked',
    send: raw('POST /execute', `${JSON_TYPE}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'chunked, and then another coding',
    send: raw('POST /execute', `${JSON_TYPE}\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a chunk with a length beyond every integer',
    send: raw('POST /execute', `${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a chunk whose length is not a number',
    send: raw('POST /execute', `${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`),
    status: 400,
    code: 'BAD_REQUEST',
  },
  { name: 'a space before the colon', send: raw('GET /health', 'X-A : b\r\n\r\n'), status: 400, code: 'BAD_REQUEST' },
  {
    name: 'a header that continues on the next line',
    send: raw('GET /health', 'X-A: b\r\n c: d\r\n\r\n'),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a bare CR in a header',
    send: raw('GET /health', 'X-A: b\rX-C: d\r\n\r\n'),
    status: 400,
    code: 'BAD_REQUEST',
  },
  { name: 'NUL in a header', send: raw('GET /health', 'X-A: b\0c\r\n\r\n'), status: 400, code: 'BAD_REQUEST' },
  { name: 'a header without a colon', send: raw('GET /health', 'nothing\r\n\r\n'), status: 400, code: 'BAD_REQUEST' },
  { name: 'an unknown method', send: raw('HACK /health', '\r\n'), status: 400, code: 'BAD_REQUEST' },
  { name: 'no version', send: () => 'GET /health\r\n\r\n', status: 400, code: 'BAD_REQUEST' },
  {
    name: 'HTTP/2 without an upgrade',
    send: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'TLS',
    send: () => Buffer.from([0x16, 0x03, 0x01, 0x00, 0xa5, 0x01, 0, 0, 0xa1, 3, 3]),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'no Host',
    send: () => 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n',
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'two Hosts',
    send: request('GET /health', { headers: ['Host: 127.0.0.1', 'Host: evil.example'] }),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'two types',
    send: request('POST /execute', { headers: [JSON_TYPE, 'Content-Type: text/plain'], body: CODE }),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'two keys',
    send: request('GET /health', { headers: ['Authorization: Bearer a', 'Authorization: Bearer b'] }),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'two idempotency keys',
    send: request('POST /execute', { headers: [JSON_TYPE, 'Idempotency-Key: a', 'Idempotency-Key: b'], body: CODE }),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'headers of 20 kB',
    send: request('GET /health', { headers: [`X-A: ${'a'.repeat(20_000)}`] }),
    status: 431,
    code: 'HEADERS_TOO_LARGE',
  },
  { name: 'a path of 20 kB', send: request(`GET /${'a'.repeat(20_000)}`), status: 431, code: 'HEADERS_TOO_LARGE' },
  {
    name: '3,000 headers',
    send: request('GET /health', { headers: Array.from({ length: 3_000 }, (_, n) => `X-${n}: a`) }),
    status: 431,
    code: 'HEADERS_TOO_LARGE',
  },
  {
    name: '101 headers',
    send: request('GET /health', { headers: Array.from({ length: 99 }, (_, n) => `X-${n}: a`) }),
    status: 431,
    code: 'HEADERS_TOO_LARGE',
  },
  {
    name: '100 headers',
    send: request('GET /health', { headers: Array.from({ length: 98 }, (_, n) => `X-${n}: a`) }),
    status: 200,
  },
  { name: 'CONNECT', send: request('CONNECT evil.example:443'), status: 405, code: 'METHOD_NOT_ALLOWED' },
  {
    name: 'TRACE',
    send: request('TRACE /health'),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    check: (head) => /^allow: GET, HEAD/im.test(head),
  },
  {
    name: 'a CORS preflight request',
    send: request('OPTIONS /execute', { headers: ['Access-Control-Request-Method: POST'] }),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    check: (head) => !/access-control/i.test(head),
  },
  {
    name: 'the URL of another server',
    send: request('GET http://evil.example/health', { headers: ['Host: evil.example'] }),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'the URL of another server, with the Host of this one',
    send: request('GET http://evil.example/health'),
    status: 400,
    code: 'BAD_REQUEST',
  },
  { name: 'another scheme', send: request('GET ftp://127.0.0.1/health'), status: 400, code: 'BAD_REQUEST' },
  { name: 'a URL with a name', send: request('GET http://a:b@127.0.0.1/health'), status: 400, code: 'BAD_REQUEST' },
  { name: 'an asterisk for a path', send: request('OPTIONS *'), status: 400, code: 'BAD_REQUEST' },
  { name: 'the own URL', send: request('GET http://127.0.0.1/health'), status: 200 },
  { name: 'a backslash in the path', send: request('GET /tools\\..\\health'), status: 400, code: 'BAD_REQUEST' },
  {
    name: 'an expectation',
    send: request('POST /execute', { headers: [JSON_TYPE, 'Expect: 200-ok'], body: CODE }),
    status: 417,
    code: 'EXPECTATION_FAILED',
  },
  {
    name: 'an upgrade',
    send: raw(
      'GET /health',
      'Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    ),
    status: 200,
  },
];
