import { expect, test } from 'vitest';
import { ToolwrightError } from '../errors.ts';
import { checkLimits, DEFAULT_LIMITS } from './limits.ts';

test('what is not set has its default', () => {
  expect(checkLimits({})).toEqual(DEFAULT_LIMITS);
  expect(checkLimits({ timeoutMs: 5, toolCalls: 1 })).toEqual({ ...DEFAULT_LIMITS, timeoutMs: 5, toolCalls: 1 });
});

test.each<[object, string]>([
  [{ timeoutMs: 0 }, 'limits.timeoutMs is a positive whole number, not 0.'],
  [{ toolCalls: -1 }, 'limits.toolCalls is a positive whole number, not -1.'],
  [{ depth: 1.5 }, 'limits.depth is a positive whole number, not 1.5.'],
  [{ logBytes: Number.NaN }, 'limits.logBytes is a positive whole number, not NaN.'],
  [{ logBytes: Number.POSITIVE_INFINITY }, 'limits.logBytes is a positive whole number, not Infinity.'],
  [{ logBytes: undefined }, 'limits.logBytes is a positive whole number, not undefined.'],
  [{ logBytes: '10' }, 'limits.logBytes is a positive whole number, not "10".'],
  [{ timeout: 5 }, `There is no limit "timeout". The limits are: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`],
  [{ toString: 5 }, `There is no limit "toString". The limits are: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`],
  [{ timeoutMs: 2 ** 31 - 1 }, 'limits.timeoutMs is at most 2000000000, not 2147483647.'],
  [{ memoryBytes: 128 }, 'limits.memoryBytes is at least 1048576 (1 MiB), not 128.'],
])('%j is refused', (limits, message) => {
  expect(() => checkLimits(limits)).toThrow(new ToolwrightError('CONFIG_INVALID', message));
});

test('the largest values are taken', () => {
  const largest = { timeoutMs: 2_000_000_000, memoryBytes: Number.MAX_SAFE_INTEGER };
  expect(checkLimits(largest)).toEqual({ ...DEFAULT_LIMITS, ...largest });
});
