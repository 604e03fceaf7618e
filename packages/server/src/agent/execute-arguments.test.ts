import { expect, test } from 'vitest';
import { readExecuteArguments } from './execute-arguments.ts';

test('accepts the fields that a model can set', () => {
  const all = { code: 'return 1', language: 'python', sessionId: 'a', check: false, limits: { timeoutMs: 5 } };
  expect(readExecuteArguments(all)).toEqual(all);
});

test('ignores null, and the fields of an ExecuteRequest that only the host can set', () => {
  const input = {
    code: 'return 1',
    language: null,
    userId: 'eve',
    createSession: true,
    sandbox: 'none',
    limits: { timeoutMs: null, toolCalls: 1e9 },
  };
  expect(readExecuteArguments(input)).toEqual({ code: 'return 1', limits: {} });
});

test.each([
  [{}, 'execute_code: code: expected a string, got nothing.'],
  [{ code: 'x', language: 'ruby' }, 'execute_code: language: expected "typescript" or "python", got a string.'],
  [{ code: 'x', limits: { timeoutMs: 0 } }, 'execute_code: limits.timeoutMs: expected a positive integer, got 0.'],
  ['return 1', 'execute_code: expected an object, got a string.'],
])('rejects %j with the field and the expected type', (input, message) => {
  expect(() => readExecuteArguments(input)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS', message }));
});
