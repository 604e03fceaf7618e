import { expect, test } from 'vitest';
import { hasWords } from './words.ts';

test.each([
  ['', true],
  ['  ', true],
  ['INVOICE open', true],
  ['open paid', false],
])('the words "%s" of a text: %s', (words, expected) => expect(hasWords('Open invoices', words)).toBe(expected));
