import { type AbuseCase, post, request } from './abuse.ts';

const CODE = '{"code":"return 1"}';
const MIB = 1024 * 1024;
const json = (value: unknown) => JSON.stringify(value);

/** Cases about bodies: their content, their headers and their size. */
export const BODY_CASES: readonly AbuseCase[] = [
  { name: 'no body', send: post('/execute', ''), status: 400, code: 'MALFORMED_JSON' },
  { name: 'half a body of JSON', send: post('/execute', '{"code":'), status: 400, code: 'MALFORMED_JSON' },
  { name: 'two values', send: post('/execute', `${CODE}${CODE}`), status: 400, code: 'MALFORMED_JSON' },
  { name: 'a comment', send: post('/execute', `${CODE}// x`), status: 400, code: 'MALFORMED_JSON' },
  { name: 'NaN', send: post('/execute', '{"code":NaN}'), status: 400, code: 'MALFORMED_JSON' },
  { name: 'a list', send: post('/execute', '[]'), status: 422, code: 'INVALID_REQUEST' },
  { name: 'null', send: post('/execute', 'null'), status: 422, code: 'INVALID_REQUEST' },
  { name: 'a text', send: post('/task', '"task"'), status: 422, code: 'INVALID_REQUEST' },
  { name: 'a number for code', send: post('/execute', '{"code":1}'), status: 422, code: 'INVALID_REQUEST' },
  { name: 'no code', send: post('/execute', '{}'), status: 422, code: 'INVALID_REQUEST' },
  { name: 'empty code', send: post('/execute', '{"code":""}'), status: 400, code: 'INVALID_REQUEST' },
  { name: 'code of spaces', send: post('/execute', '{"code":" \\n"}'), status: 400, code: 'INVALID_REQUEST' },
  {
    name: 'an unknown field',
    send: post('/execute', '{"code":"return 1","onLog":"x"}'),
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'createSession, which is for the embedding program alone',
    send: post('/execute', '{"code":"return 1","sessionId":"mine","createSession":true}'),
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'a customer, whose files it would share',
    send: post('/sessions', '{"customer":"acme"}'),
    status: 422,
    code: 'INVALID_REQUEST',
  },
  { name: 'an empty task', send: post('/task', '{"task":"   "}'), status: 422, code: 'INVALID_REQUEST' },
  {
    name: 'a task of too many characters',
    send: post('/task', json({ task: 'x'.repeat(200_001) })),
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'a program over its limit',
    send: post('/execute', json({ code: `return 1 //${'x'.repeat(600_000)}` })),
    status: 200,
  },
  {
    name: 'an unknown language',
    send: post('/execute', '{"code":"1","language":"__proto__"}'),
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'an unknown sandbox',
    send: post('/execute', '{"code":"1","sandbox":"../../bin/sh"}'),
    status: 503,
    code: 'SANDBOX_UNAVAILABLE',
  },
  {
    name: 'a negative limit',
    send: post('/execute', '{"code":"1","limits":{"timeoutMs":-1}}'),
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'a limit of 1e308',
    send: post('/execute', '{"code":"1","limits":{"timeoutMs":1e308}}'),
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'more memory than the server allows',
    send: post('/execute', '{"code":"1","limits":{"memoryBytes":9007199254740991}}'),
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: '__proto__ at the top',
    send: post('/execute', '{"code":"1","__proto__":{"check":false}}'),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  {
    name: '__proto__ inside',
    send: post('/execute', '{"code":"1","limits":{"__proto__":{"timeoutMs":1}}}'),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  {
    name: '__proto__ with an escape',
    send: post('/execute', '{"code":"1","\\u005f_proto__":{}}'),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  {
    name: 'constructor.prototype',
    send: post('/execute', '{"code":"1","constructor":{"prototype":{"check":false}}}'),
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: '100,000 open brackets',
    send: post('/execute', '['.repeat(100_000)),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  {
    name: '40 levels',
    send: post('/execute', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  {
    name: '300,000 members',
    send: post('/execute', `{${Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`).join(',')}}`),
    status: 413,
    code: 'BODY_TOO_LARGE',
  },
  {
    name: 'a number of a million digits',
    send: post('/execute', `{"code":${'9'.repeat(MIB)}}`),
    status: 422,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'bytes that are not UTF-8',
    send: post('/execute', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  {
    name: 'an overlong encoding of a slash',
    send: post('/execute', Buffer.from('{"code":"\xc0\xaf"}', 'latin1')),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  {
    name: 'UTF-16',
    send: post('/execute', Buffer.from(CODE, 'utf16le'), []),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  { name: 'half of a surrogate pair', send: post('/execute', '{"code":"return \\"\\ud800\\""}'), status: 200 },
  { name: 'NUL in a program', send: post('/execute', '{"code":"return 1 //\\u0000"}'), status: 200 },
  {
    name: 'a form',
    send: request('POST /execute', { headers: ['Content-Type: application/x-www-form-urlencoded'], body: 'code=1' }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    name: 'text/plain, which web pages may send to any host',
    send: request('POST /execute', { headers: ['Content-Type: text/plain'], body: CODE }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    name: 'no type',
    send: request('POST /execute', { body: CODE }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    name: 'another charset',
    send: request('POST /execute', { headers: ['Content-Type: application/json; charset=utf-7'], body: CODE }),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    name: 'a compressed body',
    send: post('/execute', CODE, ['Content-Encoding: gzip']),
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    name: 'a length over the limit, before any byte',
    send: ({ port }) =>
      `POST /execute HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n`,
    status: 413,
    code: 'BODY_TOO_LARGE',
  },
  {
    name: '9 MiB',
    send: post('/execute', json({ code: 'x'.repeat(9 * MIB) })),
    status: 413,
    code: 'BODY_TOO_LARGE',
  },
  {
    name: '9 MiB in chunks, of unknown length',
    send: ({ port }) =>
      `POST /execute HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${`100000\r\n${'x'.repeat(MIB)}\r\n`.repeat(9)}0\r\n\r\n`,
    status: 413,
    code: 'BODY_TOO_LARGE',
  },
];
