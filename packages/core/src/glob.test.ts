import { expect, it } from 'vitest';
import { processorTime } from '../../../test/fixtures/processor-time.ts';
import { compileGlobs, globProblem } from './glob.ts';

it.each([
  ['crm__delete_*', 'crm__delete_contact', true],
  ['crm__delete_*', 'crm__delete_', true],
  ['crm__delete_*', 'CRM__delete_contact', false],
  ['crm__delete_*', 'xcrm__delete_contact', false],
  ['*__delete', 'crm__delete', true],
  ['*__delete', 'crm__delete_all', false],
  ['*', '', true],
  ['ab*ba', 'aba', false],
  ['ab*ba', 'abba', true],
  ['ab', 'abc', false],
  ['*a*b*c*', 'xaxbxc', true],
  ['*a*b*c*', 'xaxcxb', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['a?c', 'abbc', false],
  ['a.c', 'abc', false],
  ['*.*', 'a.b', true],
  ['*@example.com', 'eve@evil.com\n@example.com', true],
  ['', 'a', false],
])('the glob %j and the text %j: %j', (glob, text, expected) => {
  expect(compileGlobs(glob)(text)).toBe(expected);
});

it('answers at once for globs that make other matchers search', () => {
  const used = processorTime();
  expect(compileGlobs(`${'*a'.repeat(120)}*b`)('a'.repeat(10_000))).toBe(false);
  expect(used()).toBeLessThan(20_000);
});

it.each(['', 'a[bc]', '{a,b}__x', '!crm__*', 'a\\*', 'x'.repeat(257), 5, null, ['a']])('%j is no glob', (glob) => {
  expect(globProblem(glob)).toMatch(/^(expected a text|a glob has at most 256|".+" has no meaning in a glob)/);
});
