import { expect, it } from 'vitest';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { compileArguments, type SchemaProblem } from './argument-schema.ts';
import { startEvaluation } from './verdict.ts';

const TO = { properties: { to: { pattern: '@example\\.com$' } } };

function verdict(schema: unknown, args: unknown): unknown {
  const problems: SchemaProblem[] = [];
  const test = compileArguments(schema, problems);
  expect(problems).toEqual([]);
  const result = test(args, startEvaluation());
  return result === undefined ? 'unknown' : result;
}

it.each([
  [TO, { to: 'ada@example.com' }, true],
  [TO, { to: 'ada@example.com\n' }, false],
  [TO, { to: 'eve@evil.com' }, false],
  // JSON Schema accepts these three: no rule may be opened by them.
  [TO, {}, 'unknown'],
  [TO, { to: ['eve@evil.com'] }, 'unknown'],
  [TO, { to: { toString: '@example.com' } }, 'unknown'],
  [{ not: TO }, { to: ['eve@evil.com'] }, 'unknown'],
  [{ not: TO }, { to: 'ada@example.com' }, false],
  [{ required: ['cc'], not: TO }, { to: ['x'] }, false],
  [{ properties: { amount: { maximum: 100 } } }, { amount: 100 }, true],
  [{ properties: { amount: { maximum: 100 } } }, { amount: '5' }, 'unknown'],
  [{ properties: { amount: { exclusiveMinimum: 0, exclusiveMaximum: 9 } } }, { amount: 9 }, false],
  [{ properties: { amount: { minimum: 1, type: 'integer' } } }, { amount: 1.5 }, false],
  [{ properties: { a: { const: 0 } } }, { a: -0 }, true],
  [{ properties: { a: { const: { x: [0], y: 1 } } } }, { a: { y: 1, x: [-0] } }, true],
  [{ properties: { a: { enum: ['x', 'y'] } } }, { a: 'z' }, false],
  [{ properties: { a: { enum: ['x', 'y'] } } }, {}, 'unknown'],
  [{ properties: { a: { type: ['string', 'null'] } } }, { a: null }, true],
  [{ properties: { a: true } }, {}, true],
  [{ properties: { a: true }, additionalProperties: false }, { a: 1 }, true],
  [{ properties: { a: true }, additionalProperties: false }, { a: 1, b: 1 }, false],
  [{ additionalProperties: { type: 'string' } }, { a: 'x', b: 1 }, false],
  [{ properties: { to: { items: { pattern: '^a' } } } }, { to: ['ab', 'ac'] }, true],
  [{ properties: { to: { items: { pattern: '^a' } } } }, { to: ['ab', 'b'] }, false],
  [{ properties: { to: { items: { pattern: '^a' } } } }, { to: 'b' }, 'unknown'],
  [{ properties: { to: { contains: { const: 'x' } } } }, { to: ['y', 'x'] }, true],
  [{ properties: { to: { contains: { const: 'x' }, maxItems: 1 } } }, { to: ['y', 'x'] }, false],
  [{ properties: { to: { minItems: 1 } } }, { to: [] }, false],
  [{ properties: { a: { minLength: 2, maxLength: 2 } } }, { a: '😀😀' }, true],
  [{ anyOf: [TO, { required: ['cc'] }] }, { cc: 1 }, true],
  [{ anyOf: [TO, { required: ['cc'] }] }, {}, 'unknown'],
  [{ allOf: [TO, { required: ['cc'] }] }, {}, false],
  [{ oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1, b: 1 }, false],
  [{ oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1 }, true],
  [{ properties: JSON.parse('{"__proto__":{"const":1}}') }, JSON.parse('{"__proto__":1}'), true],
  [{ properties: { constructor: { type: 'object' } } }, {}, 'unknown'],
  [{ required: ['toString'] }, {}, false],
  [true, {}, true],
  [false, {}, false],
  [{ title: 'anything', description: 'x' }, {}, true],
])('%j over %j: %j', (schema, args, expected) => {
  expect(verdict(schema, args)).toBe(expected);
});

it.each([
  [
    { properties: { to: { patern: 'x' } } },
    'properties.to.patern',
    'a rule does not know the keyword "patern". Did you mean "pattern"?',
  ],
  [{ $ref: '#/$defs/a' }, '$ref', /^a rule does not know the keyword "\$ref". A rule knows: type, const, /],
  [{ properties: { to: { pattern: '(' } } }, 'properties.to.pattern', /missing closing/],
  [{ properties: { to: { pattern: '(?=x)' } } }, 'properties.to.pattern', /time is not linear/],
  [
    { properties: { to: { type: 'text' } } },
    'properties.to.type',
    'expected a type: string, number, integer, boolean, null, array, object',
  ],
  [{ properties: [] }, 'properties', 'expected an object'],
  [{ anyOf: [] }, 'anyOf', 'expected a list of schemas'],
  [{ anyOf: [{ maximum: '5' }] }, 'anyOf.0.maximum', 'expected a number'],
  [{ required: 'to' }, 'required', 'expected a list of names'],
  ['x', '', 'expected a JSON Schema, which is an object, true or false'],
])('%j is refused at %j', (schema, path, text) => {
  const problems: SchemaProblem[] = [];
  compileArguments(schema, problems);
  expect(problems.map((problem) => problem.path.join('.'))).toEqual([path]);
  expect(problems[0]?.text).toMatch(text);
});

it('stays undecided when arguments are too large to read, and takes a bounded time', () => {
  const used = processorTime();
  const many = { to: Array.from({ length: 250_000 }, () => 'ada@example.com') };
  const long = { to: 'a'.repeat(4_000_000) };
  const evil = { properties: { to: { pattern: '(a+)+$' } } };
  expect(verdict({ properties: { to: { items: { pattern: '@example\\.com$' } } } }, many)).toBe('unknown');
  expect(verdict(evil, long)).toBe('unknown');
  expect(verdict({ not: evil }, long)).toBe('unknown');
  expect(verdict(evil, { to: `${'a'.repeat(90_000)}b` })).toBe(false);
  expect(used()).toBeLessThan(20_000);
});

it('names the first condition that does not hold', () => {
  const run = startEvaluation();
  compileArguments({ anyOf: [{ required: ['x'] }, true], ...TO }, [])({ to: 'x' }, run);
  expect(run.failed).toBe('properties.to.pattern');
});

it('compares whole numbers beyond 2^53 exactly', () => {
  const over = (property: object, value: bigint) => verdict({ properties: { id: property } }, { id: value });
  expect(over({ maximum: 100 }, 10n ** 20n)).toBe(false);
  expect(over({ minimum: 100, type: 'integer' }, 10n ** 20n)).toBe(true);
  expect(over({ const: '9007199254740993' }, 9007199254740993n)).toBe(true);
  expect(over({ enum: ['9007199254740993'] }, 9007199254740995n)).toBe(false);
  const problems: SchemaProblem[] = [];
  compileArguments({ properties: { id: { const: 2 ** 60 } } }, problems);
  expect(JSON.stringify(problems)).toContain('write one beyond 2^53 as text');
});
