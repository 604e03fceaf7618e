import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../catalog/tool.ts';
import { headerProblem } from './header-parameters.ts';

const region = (header: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': header });
const schema = (properties: object) => ({ type: 'object', properties });

describe('the headers of a tool are', () => {
  test.each<[string, JsonSchema]>([
    ['well when there are none', schema({ a: { type: 'number' } })],
    ['well with names of their own', schema({ a: region('Region'), b: region('Zone', 'integer') })],
    ['well in an argument of an argument', schema({ a: schema({ b: region('Region') }) })],
    ['well when a default looks so', schema({ a: { type: 'object', default: region('') } })],
    ['well when an argument is called so', schema({ 'x-mcp-header': { type: 'string' } })],
  ])('%s', (_name, given) => expect(headerProblem(given)).toBeUndefined());

  test.each<[string, JsonSchema, RegExp]>([
    ['wrong with an empty name', schema({ a: region('') }), /"" is not a valid header name/],
    ['wrong with a space', schema({ a: region('My Region') }), /not a valid header name/],
    ['wrong with a line end', schema({ a: region('a\r\nb') }), /not a valid header name/],
    ['wrong for an object', schema({ a: region('Region', 'object') }), /must be a string, integer or boolean/],
    ['wrong for a fraction', schema({ a: region('Region', 'number') }), /must be a string, integer or boolean/],
    ['wrong twice', schema({ a: region('Region'), b: region('REGION') }), /for two arguments/],
    ['wrong in a list', schema({ a: { type: 'array', items: region('Region') } }), /is not on an argument/],
    ['wrong in a choice', { anyOf: [schema({ a: region('Region') })] }, /is not on an argument/],
  ])('%s', (_name, given, problem) => expect(headerProblem(given)).toMatch(problem));
});
