import { expect, test } from 'vitest';
import { ToolwrightError } from '../../errors.ts';
import { checkLimits, DEFAULT_LIMITS } from './limits.ts';

test('an unset limit has its default', () => {
  expect(checkLimits({})).toEqual(DEFAULT_LIMITS);
  expect(checkLimits({ logBytes: undefined })).toEqual(DEFAULT_LIMITS);
  expect(checkLimits({ timeoutMs: 5, toolCalls: 1 })).toEqual({ ...DEFAULT_LIMITS, timeoutMs: 5, toolCalls: 1 });
});

test.each<[object, string]>([
  [{ timeoutMs: 0 }, 'limits.timeoutMs must be a positive whole number, not 0.'],
  [{ toolCalls: -1 }, 'limits.toolCalls must be a positive whole number, not -1.'],
  [{ depth: 1.5 }, 'limits.depth must be a positive whole number, not 1.5.'],
  [{ logBytes: Number.NaN }, 'limits.logBytes must be a positive whole number, not NaN.'],
  [{ logBytes: Number.POSITIVE_INFINITY }, 'limits.logBytes must be a positive whole number, not Infinity.'],
  [{ logBytes: null }, 'limits.logBytes must be a positive whole number, not null.'],
  [{ logBytes: '10' }, 'limits.logBytes must be a positive whole number, not "10".'],
  [{ timeout: 5 }, `Unknown limit "timeout". The limits are: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`],
  [{ toString: 5 }, `Unknown limit "toString". The limits are: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`],
  [{ timeoutMs: 2 ** 31 - 1 }, 'limits.timeoutMs must be at most 2000000000, not 2147483647.'],
  [{ memoryBytes: 128 }, 'limits.memoryBytes must be at least 1048576, not 128.'],
])('%j is refused', (limits, message) => {
  expect(() => checkLimits(limits)).toThrow(new ToolwrightError('CONFIG_INVALID', message));
});

test('the largest values are accepted', () => {
  const largest = { timeoutMs: 2_000_000_000, memoryBytes: Number.MAX_SAFE_INTEGER };
  expect(checkLimits(largest)).toEqual({ ...DEFAULT_LIMITS, ...largest });
});

test('changed limits of an execution differ from those of its Toolwright', () => {
  const base = checkLimits({ timeoutMs: 5, depth: 3 });
  expect(checkLimits({ depth: 4 }, base)).toEqual({ ...base, depth: 4 });
});
