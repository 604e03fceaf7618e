import { expect, test } from 'vitest';
import { Problem } from '../api/problem.ts';
import { fixOf } from './states.tsx';

test('a problem without a fix in its text gets one', () => {
  const fixes = [
    new Problem(500, 'INTERNAL', 'Internal error.', 'r1'),
    new Problem(502, 'UNKNOWN', 'The server answered 502 without a reason.'),
    Problem.from(new Error('of the page')),
  ].map(fixOf);
  expect(fixes).toEqual([
    expect.stringMatching(/log of the server/),
    expect.stringMatching(/proxy/),
    expect.stringMatching(/Load the page again/),
  ]);
});

test('a problem with a fix in its text gets no other one', () => {
  const problems = [
    new Problem(404, 'UNKNOWN_TOOL', 'There is no tool.'),
    Problem.from(Problem.ofRequest(new TypeError('Failed to fetch'))),
    new Problem(503, 'QUEUE_FULL', 'Retry in 1 s.', 'r2'),
  ];
  expect(problems.map(fixOf)).toEqual([undefined, undefined, undefined]);
});
