import { expect, test } from 'vitest';
import { readInputSchema, readSchema } from '../schema/read-schema.ts';
import { TYPESCRIPT_WRITER } from '../signatures/typescript/writer.ts';
import { findProblems } from './problems.ts';
import { fits } from './values.ts';

const SCHEMAS = [
  { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['a'] },
  { type: 'object', properties: { a: { type: 'number', minimum: 3 } } },
  { type: 'object', properties: { a: { enum: [1, 'x'] } } },
  { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false },
  { type: 'object', properties: { a: { type: 'array', items: { type: 'integer' } } } },
  { type: 'object', properties: { a: { type: 'array', items: false } } },
  { type: 'object', properties: { a: { type: 'array', prefixItems: [{ type: 'string' }] } } },
  { type: 'object', properties: { a: { type: 'string', format: 'date' } } },
  { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'boolean' } }, required: ['b'] } } },
  { type: 'object', properties: { a: false } },
  { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'object' }] } } },
  { type: 'object', allOf: [{ required: ['b'] }], properties: { a: {} } },
  { type: 'object', properties: {} },
  { type: 'object', patternProperties: { '^a': { type: 'string' } } },
  true,
  {},
];
const HELD = [0, 1.5, 2 ** 53, 12_345_678_901_234_567_890n, 'x', '2026-11-30', true, null, undefined];
const VALUES = [...HELD, [], [1], ['x'], [1, 'x'], {}, { b: true }, { b: 1 }];

test('a value that fits has no problem', () => {
  const { types } = TYPESCRIPT_WRITER;
  let fitting = 0;
  for (const schema of SCHEMAS) {
    for (const isClosed of [true, false]) {
      const shape = isClosed ? readInputSchema(schema) : readSchema(schema);
      for (const value of VALUES) {
        for (const args of [{ a: value }, { a: value, b: 'x' }, { b: value }, { c: value }, {}, value]) {
          if (!fits(shape, args)) continue;
          fitting++;
          expect(findProblems(shape, args, types, { isClosed }), JSON.stringify(schema)).toEqual([]);
        }
      }
    }
  }
  expect(fitting).toBeGreaterThan(100);
});
