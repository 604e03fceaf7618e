import { expect, test } from 'vitest';
import { readExecuteArguments } from './execute-arguments.ts';

test('accepts the fields that a model can set', () => {
  const all = { code: 'return 1', language: 'python', sessionId: 'a', check: false, limits: { timeoutMs: 5 } };
  expect(readExecuteArguments(all)).toEqual(all);
});

test('ignores null', () => {
  const input = { code: 'return 1', language: null, limits: { timeoutMs: null } };
  expect(readExecuteArguments(input)).toEqual({ code: 'return 1', limits: {} });
});

test.each([{ userId: 'eve' }, { createSession: true }, { sandbox: 'none' }, { limits: { toolCalls: 1e9 } }])(
  'refuses %j, which only the host can set',
  (fields) => {
    expect(() => readExecuteArguments({ code: 'return 1', ...fields })).toThrow(/unknown argument/);
  },
);

test('refuses an empty program', () => {
  const raised = { code: 'INVALID_ARGUMENTS', message: 'execute_code: "code" is empty. Send a program.' };
  expect(() => readExecuteArguments({ code: ' ' })).toThrow(expect.objectContaining(raised));
});
