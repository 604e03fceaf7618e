import { expect, test } from 'vitest';
import { argumentsOf, fieldsOf } from './schema-form.ts';

const fields = fieldsOf({
  type: 'object',
  required: ['to', 'amount'],
  properties: {
    to: { type: 'string', description: 'Who' },
    amount: { type: 'integer', default: 5 },
    isUrgent: { type: 'boolean' },
    currency: { enum: ['EUR', 'USD'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
});

test('makes a field of each property', () => {
  expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ['to', 'text', true],
    ['amount', 'number', true],
    ['isUrgent', 'boolean', false],
    ['currency', 'choice', false],
    ['tags', 'json', false],
  ]);
  expect(fieldsOf(undefined)).toEqual([]);
});

test('reads the arguments of filled fields', () => {
  expect(argumentsOf(fields, { to: 'ada', isUrgent: 'true', tags: '["a"]' })).toEqual({
    to: 'ada',
    amount: 5,
    isUrgent: true,
    tags: ['a'],
  });
  expect(() => argumentsOf(fields, { amount: 'x' })).toThrow('"amount" must be a number.');
  expect(() => argumentsOf(fields, { tags: '[' })).toThrow('"tags" must be JSON');
});

test('has one field for all arguments of a schema that names none', () => {
  const open = fieldsOf({ type: 'object', properties: {} });
  expect(open.map(({ name, kind }) => [name, kind])).toEqual([['Arguments, as JSON', 'json']]);
  expect(argumentsOf(open, {})).toEqual({});
  expect(argumentsOf(open, { 'Arguments, as JSON': '{ "a": 1 }' })).toEqual({ a: 1 });
  expect(() => argumentsOf(open, { 'Arguments, as JSON': '{' })).toThrow('must be JSON');
  expect(fieldsOf({ type: 'object', additionalProperties: false })).toEqual([]);
});
