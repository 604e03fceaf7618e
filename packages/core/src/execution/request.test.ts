import { expect, expectTypeOf, test } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../config/sections/limits.ts';
import { type ExecuteRequest, executeRequestSchema } from './request.ts';

const all: ExecuteRequest = {
  code: 'return 1',
  language: 'typescript',
  sessionId: 's',
  createSession: true,
  userId: 'ada',
  limits: { ...DEFAULT_LIMITS },
  check: false,
  dryRun: false,
  approved: 'id',
  sandbox: 'quickjs',
};

test('a request has code, and any of the options', () => {
  expect(executeRequestSchema.parse({ code: '' })).toEqual({ code: '' });
  expect(executeRequestSchema.parse(all)).toEqual(all);
  expectTypeOf<NonNullable<ExecuteRequest['limits']>>().toEqualTypeOf<{
    -readonly [Name in keyof Limits]?: number | undefined;
  }>();
});

test.each<[string, object]>([
  ['no code', { code: undefined }],
  ['code that is no text', { code: 1 }],
  ['an unknown language', { language: 'cobol' }],
  ['a former name', { session: 's' }],
  ['an empty user', { userId: '' }],
  ['a long user', { userId: 'x'.repeat(257) }],
  ['an unknown limit', { limits: { timeout: 1 } }],
  ['a limit of 0', { limits: { toolCalls: 0 } }],
  ['a limit beyond its bound', { limits: { timeoutMs: 2 ** 31 } }],
  ['check as a text', { check: 'no' }],
  ['an empty sandbox', { sandbox: '' }],
])('%s is refused', (_name, change) => {
  expect(executeRequestSchema.safeParse({ ...all, ...change }).success).toBe(false);
});
