import type { Bound, Shape } from '../schema/shape.ts';

/** Calls `report` with the message for each limit that a value exceeds. */
export function checkBounds(
  { bounds }: Shape,
  value: unknown,
  hidesValues: boolean,
  report: (message: () => string) => void,
): void {
  if (!bounds) return;
  const size = sizeOf(value);
  for (const [bound, limit] of bounds) {
    const test = BOUND_TESTS[bound];
    const measured = test.of === 'value' ? numberIn(value) : size[test.of];
    if (measured === undefined || test.holds(measured, limit)) continue;
    const got = hidesValues && test.of === 'value' ? '' : `, got ${measured}`;
    report(() => `${test.text} ${limit}${test.of === 'value' ? '' : ` ${test.of}`}${got}`);
  }
}

type Measure = 'value' | 'characters' | 'elements' | 'properties';

const atLeast = (measured: number | bigint, limit: number): boolean => measured >= limit || isNear(measured, limit);
const atMost = (measured: number | bigint, limit: number): boolean => measured <= limit || isNear(measured, limit);

/** Returns whether a limit beyond ±(2⁵³-1), whose last digits are lost, may allow a number. Then its server decides. */
function isNear(measured: number | bigint, limit: number): boolean {
  return typeof measured === 'bigint' && !Number.isSafeInteger(limit) && Number(measured) === limit;
}

const BOUND_TESTS: Readonly<
  Record<Bound, { of: Measure; text: string; holds: (measured: number | bigint, limit: number) => boolean }>
> = {
  minimum: { of: 'value', text: 'must be at least', holds: atLeast },
  maximum: { of: 'value', text: 'must be at most', holds: atMost },
  exclusiveMinimum: {
    of: 'value',
    text: 'must be more than',
    holds: (measured, limit) => measured > limit || isNear(measured, limit),
  },
  exclusiveMaximum: {
    of: 'value',
    text: 'must be less than',
    holds: (measured, limit) => measured < limit || isNear(measured, limit),
  },
  multipleOf: { of: 'value', text: 'must be a multiple of', holds: isMultiple },
  minLength: { of: 'characters', text: 'must have at least', holds: atLeast },
  maxLength: { of: 'characters', text: 'must have at most', holds: atMost },
  minItems: { of: 'elements', text: 'must have at least', holds: atLeast },
  maxItems: { of: 'elements', text: 'must have at most', holds: atMost },
  minProperties: { of: 'properties', text: 'must have at least', holds: atLeast },
  maxProperties: { of: 'properties', text: 'must have at most', holds: atMost },
};

function isMultiple(measured: number | bigint, step: number): boolean {
  if (step <= 0) return true;
  if (typeof measured === 'bigint') return !Number.isSafeInteger(step) || measured % BigInt(step) === 0n;
  const times = measured / step;
  // With floating-point numbers, 0.3 / 0.1 is not exactly 3.
  return Math.abs(times - Math.round(times)) < 1e-8 * Math.max(1, Math.abs(times));
}

/** Returns a value that is a number. */
export function numberIn(value: unknown): number | bigint | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

function sizeOf(value: unknown): { characters?: number; elements?: number; properties?: number } {
  // JSON Schema counts code points, like the spread of a string.
  if (typeof value === 'string') return { characters: value.length > 100_000 ? value.length : [...value].length };
  if (Array.isArray(value)) return { elements: value.length };
  return typeof value === 'object' && value !== null ? { properties: Object.keys(value).length } : {};
}
