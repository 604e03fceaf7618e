import { expect, it } from 'vitest';
import { sameArguments, schemaOf } from './same-arguments.ts';

it('names the arguments of a call, and those whose values are hidden', () => {
  const args = { to: '[EMAIL_1]', lines: [{ for: 'Mr [PERSON_12]' }], amount: 40, note: '[x_1]' };
  expect(sameArguments(args)).toEqual({ names: ['to', 'lines', 'amount', 'note'], hidden: new Set(['to', 'lines']) });
  for (const other of [undefined, null, 'text', [1]]) expect(sameArguments(other).names).toEqual([]);
});

it('makes a schema of the chosen arguments', () => {
  expect(schemaOf({ to: 'ada', amount: 40 }, ['amount'])).toEqual({
    type: 'object',
    properties: { amount: { const: 40 } },
    required: ['amount'],
  });
});
