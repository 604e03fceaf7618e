import { expect, test } from 'vitest';
import { modelFailure, redactKeys } from './failure.ts';

const context = { name: 'acme/x', secrets: ['top-secret'], keyVariable: 'ACME_API_KEY' };
const http = (statusCode: number, responseHeaders: Record<string, string> = {}) =>
  Object.assign(new Error('refused'), { statusCode, responseHeaders });

test.each([
  [new TypeError('fetch failed'), 'MODEL_UNAVAILABLE', undefined],
  [http(429, { 'retry-after': '2' }), 'MODEL_UNAVAILABLE', 2_000],
  [http(429, { 'retry-after': '2', 'retry-after-ms': '150' }), 'MODEL_UNAVAILABLE', 150],
  [http(503, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }), 'MODEL_UNAVAILABLE', 0],
  [http(529, { 'retry-after': 'soon' }), 'MODEL_UNAVAILABLE', undefined],
  [new Error('wrapped', { cause: http(500) }), 'MODEL_UNAVAILABLE', undefined],
  [http(401), 'ACCESS_DENIED', undefined],
  [http(403), 'ACCESS_DENIED', undefined],
  [http(400), 'MODEL_FAILED', undefined],
])('%s is %s', (error, code, retryAfterMs) => {
  const failure = modelFailure(error, context);
  expect([failure.code, failure.details.retryAfterMs]).toEqual([code, retryAfterMs]);
});

test('messages contain no key, neither complete nor masked', () => {
  const text =
    'top-secret sk-ant-api03-AbCdEfGhIj sk-proj-abcd***wxyz AIzaSyA1234567890123456789012345 Bearer abcdefgh';
  expect(redactKeys(text, context.secrets)).toBe('[key] [key] [key] [key] [key]');
  expect(modelFailure(http(401), context).message).toContain('Check ACME_API_KEY.');
});
