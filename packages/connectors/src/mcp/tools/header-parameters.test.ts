import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../tools/tool.ts';
import { headerProblem } from './header-parameters.ts';

const region = (header: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': header });
const schema = (properties: object) => ({ type: 'object', properties });

describe('the header parameters of a tool are', () => {
  test.each<[string, JsonSchema]>([
    ['valid when there are none', schema({ a: { type: 'number' } })],
    ['valid with different names', schema({ a: region('Region'), b: region('Zone', 'integer') })],
    ['valid in a nested argument', schema({ a: schema({ b: region('Region') }) })],
    ['valid when a default looks like one', schema({ a: { type: 'object', default: region('') } })],
    ['valid when an argument has the name of the keyword', schema({ 'x-mcp-header': { type: 'string' } })],
  ])('%s', (_name, given) => expect(headerProblem(given)).toBeUndefined());

  test.each<[string, JsonSchema, RegExp]>([
    ['invalid with an empty name', schema({ a: region('') }), /"" is not a valid header name/],
    ['invalid with a space', schema({ a: region('My Region') }), /not a valid header name/],
    ['invalid with a line end', schema({ a: region('a\r\nb') }), /not a valid header name/],
    ['invalid for an object', schema({ a: region('Region', 'object') }), /must be a string, integer or boolean/],
    ['invalid for a fraction', schema({ a: region('Region', 'number') }), /must be a string, integer or boolean/],
    ['invalid with a repeated name', schema({ a: region('Region'), b: region('REGION') }), /for two arguments/],
    ['invalid in a list', schema({ a: { type: 'array', items: region('Region') } }), /is not on an argument/],
    ['invalid in an alternative', { anyOf: [schema({ a: region('Region') })] }, /is not on an argument/],
  ])('%s', (_name, given, problem) => expect(headerProblem(given)).toMatch(problem));
});
