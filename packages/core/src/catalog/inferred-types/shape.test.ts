import { expect, test } from 'vitest';
import { mergeShapes, type ObservedShape, observe, readShape } from './shape.ts';

const merged = (...values: readonly unknown[]): ObservedShape => values.map(observe).reduce(mergeShapes);
const string = { type: ['string'] };
const number = { type: ['number'] };

test.each<[string, unknown, object]>([
  ['a text', 'secret', string],
  ['null', null, { type: ['null'] }],
  ['nothing', undefined, {}],
  ['an object', { b: 1, a: 'x' }, { type: ['object'], properties: { b: number, a: string }, required: ['a', 'b'] }],
  ['a list', [1, 'x', null], { type: ['array'], items: { type: ['null', 'number', 'string'] } }],
  ['an empty list', [], { type: ['array'] }],
  [
    'ids as keys',
    { a1b2c3d4: 1, '550e8400-e29b-41d4-a716-446655440000': 2 },
    { type: ['object'], additionalProperties: number },
  ],
  ['addresses as keys', { 'ada@example.org': true }, { type: ['object'], additionalProperties: { type: ['boolean'] } }],
  ['numbers as keys', { 2024: 'x' }, { type: ['object'], additionalProperties: string }],
  ['names of people as keys', { Alice: 3, Bob: 5 }, { type: ['object'], additionalProperties: number }],
  ['texts as keys', { 'a b': 1 }, { type: ['object'], additionalProperties: number }],
  ['slugs as keys', { 'merger-with-acme': 1 }, { type: ['object'], additionalProperties: number }],
  ['codes as keys', { EUR: 1, USD: 2 }, { type: ['object'], additionalProperties: number }],
  ['dates as keys', { Jan_24: 1, '2024-01-02': 2 }, { type: ['object'], additionalProperties: number }],
  ['numbered keys', { user_1: 1, user_2: 2, user_3: 3 }, { type: ['object'], additionalProperties: number }],
  [
    'numbered fields',
    { line1: 'x', line2: 'y' },
    {
      type: ['object'],
      properties: { line1: string, line2: string },
      required: ['line1', 'line2'],
    },
  ],
  [
    'names in lower case, with objects of one shape',
    { ada: { age: 1, team: 'x' }, bob: { age: 2, team: 'y' }, cy: { age: 3 } },
    {
      type: ['object'],
      additionalProperties: { type: ['object'], properties: { age: number, team: string }, required: ['age'] },
    },
  ],
  [
    'names in lower case, with lists of one shape',
    { ada: [{ id: 1 }], bob: [{ id: 2 }], cy: [{ id: 3 }] },
    {
      type: ['object'],
      additionalProperties: {
        type: ['array'],
        items: { type: ['object'], properties: { id: number }, required: ['id'] },
      },
    },
  ],
  [
    'many keys with numbers',
    Object.fromEntries([...'abcdefghijklm'].map((name, index) => [name, index])),
    { type: ['object'], additionalProperties: number },
  ],
])('%s', (_name, value, shape) => {
  expect(observe(value)).toEqual(shape);
});

test('a key that is sometimes missing is optional, and different types become a union', () => {
  expect(merged({ id: 1, name: 'x' }, { id: '2', name: null, extra: [1] }, { id: 3, name: 'z' })).toEqual({
    type: ['object'],
    properties: {
      id: { type: ['number', 'string'] },
      name: { type: ['null', 'string'] },
      extra: { type: ['array'], items: number },
    },
    required: ['id', 'name'],
  });
});

test('merging is independent of the order, and of repetition', () => {
  const values = [{ a: 1 }, { a: 'x', b: [{ c: null }] }, { a: 2, b: [] }, [1], null];
  const one = merged(...values);
  expect(merged(...[...values].reverse())).toEqual(one);
  expect(mergeShapes(one, one)).toEqual(one);
});

test('keys that never repeat are data', () => {
  const shape = merged({ ada: 1, bob: 2, cy: 3 }, { dan: 1, eve: 2, fay: 3 });
  expect(shape).toEqual({ type: ['object'], additionalProperties: number });
});

test('is bounded for results of any size', () => {
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`${'k'.repeat(index % 30)}x`, index]));
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level++) deep = { deep };
  const tree = (depth: number): unknown =>
    depth === 0 ? 1 : { a: tree(depth - 1), b: tree(depth - 1), c: tree(depth - 1) };
  for (const value of [wide, deep, tree(9), Array.from({ length: 1_000_000 }, () => ({ a: 1 }))]) {
    expect(JSON.stringify(observe(value)).length).toBeLessThan(20_000);
  }
});

test.each<[unknown, unknown]>([
  [
    { type: ['object'], properties: { ok: { type: ['string'], const: 'secret' }, 'a@b.c': string } },
    { type: ['object'], properties: { ok: string } },
  ],
  [{ type: ['strange'] }, undefined],
  ['text', undefined],
  [null, undefined],
])('reads only valid keywords from a file: %j', (found, shape) => {
  expect(readShape(found)).toEqual(shape);
});
