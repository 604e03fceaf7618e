import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { ToolwrightError } from '../../errors.ts';
import { STREAM_BROKEN } from '../http/transports.ts';
import { callFailure } from './call-failure.ts';

const context = {
  server: 's',
  tool: 't',
  timeoutMs: 5,
  signal: undefined,
  evidence: ' Evidence.',
  redact: (text: string) => text.replaceAll('s3cr3t', '[redacted]'),
};
const http = (status: number): SdkHttpError =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'body with s3cr3t', { status });
const maybe = 'the call may have taken effect, and was not repeated.';

test.each<[string, unknown, string, string]>([
  ['invalid params', new ProtocolError(-32602, 'no s3cr3t here'), 'TOOL_FAILED', 'no [redacted] here'],
  ['its own code', new ProtocolError(42, 'quota'), 'TOOL_FAILED', 'quota'],
  [
    'a broken request',
    new ProtocolError(-32600, 'bad'),
    'UPSTREAM_PROTOCOL',
    's answered the call of t with error -32600: bad',
  ],
  [
    'a broken stream',
    new ProtocolError(-32000, '', STREAM_BROKEN),
    'UPSTREAM_UNAVAILABLE',
    `s ended its answer to t early: ${maybe}`,
  ],
  [
    'a refusal',
    http(429),
    'UPSTREAM_UNAVAILABLE',
    's: HTTP 429. The server rejected the call of t, which had no effect.',
  ],
  ['a gateway', http(504), 'UPSTREAM_UNAVAILABLE', `s: HTTP 504. About t: ${maybe}`],
  [
    'a network error',
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }),
    'UPSTREAM_UNAVAILABLE',
    `s could not be reached (network error ECONNRESET): ${maybe} Evidence.`,
  ],
  [
    'a server that is not there',
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
    'UPSTREAM_UNAVAILABLE',
    's could not be reached (network error ECONNREFUSED): the call of t was not sent. Evidence.',
  ],
  [
    'a question to the user',
    new SdkError(SdkErrorCode.UnsupportedResultType, 'input_required'),
    'TOOL_FAILED',
    't on s asks for input from a user, which is not supported. Pass the input as an argument, if the tool has one.',
  ],
  ['a failed tool', new ToolwrightError('TOOL_FAILED', 'key s3cr3t is bad'), 'TOOL_FAILED', 'key [redacted] is bad'],
])('%s', (_name, error, code, message) => {
  const failure = callFailure(error, context);
  expect([failure.code, failure.message, failure.cause]).toEqual([code, message, undefined]);
});

test('a cancelled call raises CANCELLED for any error of the transport', () => {
  const error = new SdkError(SdkErrorCode.RequestTimeout, 'AbortError');
  expect(callFailure(error, { ...context, signal: AbortSignal.abort() }).code).toBe('CANCELLED');
});
