import type { JsonSchema } from '@toolwright/connectors';
import { expect, it } from 'vitest';
import { readSchema } from './read-schema.ts';

const bounds = (...entries: readonly (readonly [string, number])[]) => new Map(entries);

it.each([
  [
    'values of items at their list',
    { type: 'array', enum: [0, 1], items: { type: 'integer' } },
    { types: ['array'], items: { types: ['integer'], values: [0, 1] } },
  ],
  ['values at a list without items', { type: 'array', enum: ['a'] }, { types: ['array'], items: { values: ['a'] } }],
  [
    'values at a list that may be null',
    { type: ['array', 'null'], enum: ['a', null], items: { type: 'string' } },
    { types: ['array', 'null'], items: { types: ['string'], values: ['a'] } },
  ],
  ['lists as values', { type: 'array', enum: [[1], [2]] }, { types: ['array'], values: [[1], [2]] }],
  [
    'values next to null',
    { anyOf: [{ type: 'string' }, { type: 'null', enum: ['A', 'B'] }] },
    { anyOf: [{ types: ['string'] }, { values: ['A', 'B'] }] },
  ],
  ['values of another type', { type: 'integer', enum: ['1', '2'] }, { values: ['1', '2'] }],
  ['a constant of another type', { type: 'string', const: 5 }, { values: [5] }],
  ['values of which one fits', { type: 'string', enum: [1, 'a'] }, { types: ['string'], values: [1, 'a'] }],
  [
    'alternatives of other types',
    { type: 'object', anyOf: [{ type: 'string' }, { type: 'integer' }] },
    { anyOf: [{ types: ['string'] }, { types: ['integer'] }] },
  ],
  [
    'alternatives of which one fits',
    { type: 'number', anyOf: [{ type: 'string' }, { type: 'integer' }] },
    { types: ['number'], anyOf: [{ types: ['string'] }, { types: ['integer'] }] },
  ],
  [
    'parts of other types',
    { allOf: [{ type: 'string' }, { type: 'number' }] },
    { anyOf: [{ types: ['string'] }, { types: ['number'] }] },
  ],
  [
    'parts of types that a value can have',
    { allOf: [{ type: 'integer' }, { type: 'number' }] },
    { allOf: [{ types: ['integer'] }, { types: ['number'] }] },
  ],
  [
    'a minimum over the maximum',
    { type: 'number', minimum: 5, maximum: 1, multipleOf: 2 },
    { types: ['number'], bounds: bounds(['multipleOf', 2]) },
  ],
  ['an empty exclusive range', { exclusiveMinimum: 5, maximum: 5 }, {}],
  ['a range of one number', { minimum: 5, maximum: 5 }, { bounds: bounds(['minimum', 5], ['maximum', 5]) }],
  ['a negative length', { type: 'string', maxLength: -1 }, { types: ['string'] }],
  ['values outside of the bounds', { enum: ['ab'], minLength: 3 }, { values: ['ab'] }],
  [
    'more items than a tuple has',
    { type: 'array', prefixItems: [{}], items: false, minItems: 2 },
    { types: ['array'], prefix: [{}], items: false },
  ],
  [
    'a required property that is not declared',
    { properties: {}, required: ['a'], additionalProperties: false },
    { properties: new Map([['a', {}]]), required: new Set(['a']), extra: false },
  ],
  [
    'a required property that is forbidden',
    { properties: { a: false }, required: ['a', 'b'] },
    { properties: new Map([['a', { never: true }]]), required: new Set(['b']) },
  ],
])('reads %s so that a value can satisfy it', (_name, schema, shape) => {
  expect(readSchema(schema as JsonSchema)).toEqual(shape);
});

it('keeps a schema that forbids everything', () => {
  expect(readSchema(false)).toEqual({ never: true });
});
