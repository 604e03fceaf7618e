import type { JsonSchema } from '@toolwright/connectors';
import { describe, expect, test } from 'vitest';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { HOSTILE_DEFINITIONS } from '../../../../../test/hostile-tools.ts';
import { TYPESCRIPT_WRITER } from '../signatures/typescript/writer.ts';
import { inventResult } from './invented-result.ts';
import { resultProblem } from './values.ts';

const toolOf = (outputSchema?: JsonSchema) => ({
  id: 't__x',
  server: 't',
  definition: { name: 'x', inputSchema: true, ...(outputSchema === undefined ? {} : { outputSchema }) },
});
const person = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } } as const;

test.each<[string, JsonSchema, unknown]>([
  ['a text', { type: 'string' }, 'text'],
  ['a short text', { type: 'string', maxLength: 2 }, 'te'],
  ['a long text', { type: 'string', minLength: 6 }, 'textte'],
  ['a time', { type: 'string', format: 'date-time' }, '2000-01-01T00:00:00Z'],
  ['a number', { type: 'number' }, 1],
  ['a number in bounds', { type: 'number', minimum: 3.5, exclusiveMaximum: 4 }, 3.5],
  ['a number between two others', { exclusiveMinimum: 0.1, exclusiveMaximum: 0.2 }, expect.closeTo(0.15)],
  ['an integer in bounds', { type: 'integer', exclusiveMinimum: 3.5, maximum: 4 }, 4],
  ['a multiple', { type: 'integer', multipleOf: 7, minimum: 10 }, 14],
  ['one of several values', { enum: ['open', 'closed'] }, 'open'],
  ['a constant', { const: null }, null],
  ['a default', { type: 'integer', default: 20 }, 20],
  ['a wrong default', { type: 'integer', default: 'x' }, 1],
  ['a value or null', { type: ['null', 'boolean'] }, true],
  ['an object', { ...person, required: ['name', 'id'] }, { name: 'text', age: 1, id: {} }],
  [
    'a list',
    { type: 'array', items: person, minItems: 2 },
    [
      { name: 'text', age: 1 },
      { name: 'text', age: 1 },
    ],
  ],
  ['a list without elements', { type: 'array', items: false }, []],
  ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false }, ['text', 1]],
  ['a map', { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1 }, { key1: 1 }],
  [
    'several schemas',
    { allOf: [person, { required: ['tag'], properties: { tag: { type: 'string' } } }] },
    { name: 'text', age: 1, tag: 'text' },
  ],
  ['the first alternative that fits', { oneOf: [{ type: 'string', minLength: 1_000_000 }, { type: 'integer' }] }, 1],
  ['alternatives next to properties', { ...person, anyOf: [{ required: ['age'] }] }, { name: 'text', age: 1 }],
  ['a reference', { $ref: '#/$defs/p', $defs: { p: person } }, { name: 'text', age: 1 }],
  ['nothing that exists', false, {}],
  ['contradictory bounds', { type: 'integer', minimum: 5, maximum: 4 }, 1],
  ['anything', true, {}],
])('the invented result of %s fits its type', (_name, schema, expected) => {
  const tool = toolOf(schema);
  expect(inventResult(tool)).toEqual(expected);
  expect(inventResult(tool)).toEqual(inventResult(tool));
});

describe('a result is invented', () => {
  test('for a tool without a type: an empty object', () => expect(inventResult(toolOf())).toEqual({}));

  test('by the types of earlier results', () => {
    expect(inventResult({ ...toolOf(), observed: { type: ['array'], items: { type: ['number'] } } })).toEqual([1]);
  });

  test('for a type that refers to itself, also where it is required', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };
    const list = { $ref: '#/$defs/node', $defs: { node } };
    expect(resultProblem(toolOf(list), inventResult(toolOf(list)), TYPESCRIPT_WRITER)).toBeUndefined();
    const endless = { $ref: '#/$defs/node', $defs: { node: { ...node, required: ['next'] } } };
    expect(inventResult(toolOf(endless))).toEqual({});
  });

  test('for hostile schemas, in a short time', () => {
    const used = processorTime();
    for (const { inputSchema, outputSchema } of HOSTILE_DEFINITIONS) {
      for (const schema of [inputSchema, outputSchema]) JSON.stringify(inventResult(toolOf(schema as JsonSchema)));
    }
    expect(used()).toBeLessThan(20_000);
  });
});
