import type { JsonSchema, Tool } from '@toolwright/connectors';
import { expect, test } from 'vitest';
import { withExactIntegers } from './exact-arguments.ts';
import { validateArguments } from './values.ts';

const DIGITS = '1917043659912705296';
const integer = { type: 'integer' };

function tool(properties: Record<string, JsonSchema>, more: JsonSchema = {}): Tool {
  const inputSchema = { type: 'object', properties, ...(more as object) };
  return { id: 's__t', server: 's', definition: { name: 't', inputSchema } };
}

test.each<[string, JsonSchema, unknown, unknown]>([
  ['an integer', integer, DIGITS, BigInt(DIGITS)],
  ['a negative integer', integer, `-${DIGITS}`, -BigInt(DIGITS)],
  ['a number', { type: 'number' }, DIGITS, BigInt(DIGITS)],
  ['an integer or null', { type: ['integer', 'null'] }, DIGITS, BigInt(DIGITS)],
  ['a branch', { anyOf: [integer, { type: 'null' }] }, DIGITS, BigInt(DIGITS)],
  ['a reference', { $ref: '#/$defs/id' }, DIGITS, BigInt(DIGITS)],
  ['a part of it', { allOf: [{ $ref: '#/$defs/id' }, { description: 'an id' }] }, DIGITS, BigInt(DIGITS)],
  [
    'one of several objects',
    {
      anyOf: [
        { type: 'object', properties: { kind: { const: 'name' }, id: { type: 'string' } }, required: ['kind'] },
        { type: 'object', properties: { kind: { const: 'record' }, id: integer }, required: ['kind'] },
      ],
    },
    { kind: 'record', id: DIGITS },
    { kind: 'record', id: BigInt(DIGITS) },
  ],
  [
    'alternatives beside properties',
    { properties: { id: integer }, anyOf: [{ required: ['id'] }] },
    { id: DIGITS },
    { id: BigInt(DIGITS) },
  ],
  ['a list that contains itself', { $ref: '#/$defs/tree' }, [[DIGITS]], [[BigInt(DIGITS)]]],
  ['an enumeration of numbers', { enum: [1, DIGITS] }, DIGITS, BigInt(DIGITS)],
  ['an enumeration with a text', { enum: [1, 'x', DIGITS] }, DIGITS, DIGITS],
  [
    'a name with a meaning in JavaScript',
    { type: 'object', additionalProperties: integer },
    JSON.parse(`{"__proto__":"${DIGITS}"}`),
    Object.defineProperty({}, '__proto__', { value: BigInt(DIGITS), enumerable: true }),
  ],
  ['elements', { type: 'array', items: integer }, [DIGITS, 1], [BigInt(DIGITS), 1]],
  ['values', { type: 'object', additionalProperties: integer }, { a: DIGITS }, { a: BigInt(DIGITS) }],
  ['a text', { type: 'string' }, DIGITS, DIGITS],
  ['a text or an integer', { anyOf: [integer, { type: 'string' }] }, DIGITS, DIGITS],
  ['anything', {}, DIGITS, DIGITS],
  ['digits that a number holds', { type: 'string' }, '1234567890123456', '1234567890123456'],
])('%s', (_title, schema, given, expected) => {
  const own = tool(
    { value: schema },
    { $defs: { id: integer, tree: { anyOf: [integer, { type: 'array', items: { $ref: '#/$defs/tree' } }] } } },
  );
  const args = withExactIntegers(own, { value: given });
  expect(args).toEqual({ value: expected });
  expect(validateArguments(own, args)).toBeUndefined();
});

test('arguments without such digits stay the same object', () => {
  const args = { value: { list: ['x', 1] } };
  expect(withExactIntegers(tool({ value: {} }), args)).toBe(args);
});

test('a number whose digits JavaScript has lost is refused', () => {
  const own = tool({ value: { type: 'integer' } });
  expect(validateArguments(own, { value: Number(DIGITS) })).toContain(
    'value: expected integer, got 1917043659912705300, whose digits are not exact beyond 2^53: pass them as text or as a BigInt',
  );
  expect(validateArguments(tool({ value: { type: 'number' } }), { value: 1e20 })).toBeUndefined();
});

test.each<[JsonSchema, bigint, string | undefined]>([
  [{ type: 'integer', maximum: 2 ** 63 }, BigInt(DIGITS), undefined],
  [{ type: 'integer', maximum: 2 ** 63 }, 2n ** 63n + 5_000n, 'must be at most'],
  [{ type: 'integer', maximum: 5 }, BigInt(DIGITS), `must be at most 5, got ${DIGITS}`],
  [{ type: 'integer', minimum: 0 }, -BigInt(DIGITS), `must be at least 0, got -${DIGITS}`],
  [{ type: 'number', exclusiveMaximum: Number(DIGITS) }, BigInt(DIGITS) - 1n, undefined],
  [{ type: 'integer', multipleOf: 8 }, BigInt(DIGITS), undefined],
  [{ type: 'integer', multipleOf: 10 }, BigInt(DIGITS), `must be a multiple of 10, got ${DIGITS}`],
  [{ type: 'integer', multipleOf: 0.5 }, BigInt(DIGITS), undefined],
  [{ enum: [DIGITS, '1'], type: 'integer' }, BigInt(DIGITS), undefined],
  [{ const: DIGITS }, BigInt(DIGITS) + 1n, 'expected'],
  [{ type: 'string' }, BigInt(DIGITS), 'expected string'],
])('%o and the number %i', (schema, value, problem) => {
  const found = validateArguments(tool({ value: schema }), { value });
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});
