import { expect, it } from 'vitest';
import type { Approval } from '../api/types.ts';
import { hasWords } from '../text/words.ts';
import { keyOf, newQuestions, type OpenQuestions, searchedText, withAgain, without } from './open-questions.ts';

const asked = (executionId: string, binding = 'b') =>
  ({ executionId, call: 1, binding, tool: 'bank__pay', userId: 'ada', arguments: { to: 'Kim' } }) as Approval;
const list = (...names: string[]): OpenQuestions => ({ approvals: names.map((name) => asked(name)), total: 9 });
const namesOf = ({ approvals, total }: OpenQuestions) => [
  approvals.map(({ executionId }) => executionId).join(),
  total,
];

it('identifies a question by its arguments too', () => {
  expect(keyOf(asked('x', 'b'))).not.toBe(keyOf(asked('x', 'c')));
});

it('removes decided questions, and puts them back at their places when the decision failed', () => {
  const before = list('a', 'b', 'c', 'd');
  const keys = new Set([keyOf(asked('b'))]);
  const removed = without(before, keys);
  expect(namesOf(removed)).toEqual(['a,c,d', 8]);
  expect(namesOf(withAgain(removed, before, keys))).toEqual(['a,b,c,d', 9]);
  // Meanwhile, another decision removed "c", and "e" was asked.
  const now = { approvals: [asked('a'), asked('d'), asked('e')], total: 8 };
  expect(namesOf(withAgain(now, before, keys))).toEqual(['a,b,d,e', 9]);
  // The list was loaded again and has it already.
  expect(namesOf(withAgain(before, before, keys))).toEqual(['a,b,c,d', 9]);
});

it('counts new questions, also those that are not loaded', () => {
  const full = (...names: string[]): OpenQuestions => ({ ...list(...names), total: names.length });
  expect(newQuestions(full('a', 'b'), full('b', 'c', 'd'))).toEqual({ number: 2, first: asked('c') });
  expect(newQuestions(full('a'), full('a'))).toEqual({ number: 0, first: undefined });
  expect(newQuestions(list('a'), { ...list('a'), total: 11 })).toEqual({ number: 2, first: undefined });
  // One of the loaded questions was decided, and another one took its place.
  expect(newQuestions(list('a', 'b'), { ...list('b', 'c'), total: 8 })).toEqual({ number: 0, first: undefined });
});

it('finds words in the tool, the user and the arguments', () => {
  for (const [words, expected] of [
    ['', true],
    ['PAY kim', true],
    ['ada kim', true],
    ['pay lee', false],
  ] as const)
    expect([words, hasWords(searchedText(asked('x')), words)]).toEqual([words, expected]);
});
