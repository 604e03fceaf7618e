import { parseExact } from '@toolwright/sandbox/internal';
import { expect, test } from 'vitest';
import { plainNumbers } from './plain-numbers.ts';

test('limits become numbers, and other large numbers the text of their digits', () => {
  const schema = parseExact(
    '{"id":{"type":"integer","maximum":9223372036854775807,"minimum":-9223372036854775808,"enum":[1,9007199254740993]},"__proto__":9007199254740993}',
  );
  expect(JSON.stringify(plainNumbers(schema))).toBe(
    '{"id":{"type":"integer","maximum":9223372036854776000,"minimum":-9223372036854776000,"enum":[1,"9007199254740993"]},"__proto__":"9007199254740993"}',
  );
});

test('data without such numbers stay the same', () => {
  const schema = { type: 'integer', maximum: 5 };
  expect(plainNumbers(schema)).toBe(schema);
});
