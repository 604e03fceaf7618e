import { expect, it } from 'vitest';
import { Problem } from '../../api/problem.ts';
import type { Approval } from '../../api/types.ts';
import { sendInParts } from './send-parts.ts';

it('sends all parts, and reports the questions of a failed one', async () => {
  const items = [1, 2, 3, 4, 5].map((call) => ({ executionId: 'x', call }) as Approval);
  const sent: number[][] = [];
  const { decided, refused } = await sendInParts(items, 2, async (part) => {
    sent.push(part.map(({ call }) => call));
    if (sent.length === 2) throw new Problem(409, 'ALREADY_DECIDED', 'too late');
    return { decided: part, refused: [] };
  });
  expect(sent).toEqual([[1, 2], [3, 4], [5]]);
  expect(decided.map(({ call }) => call)).toEqual([1, 2, 5]);
  expect(refused).toEqual(
    [3, 4].map((call) => ({ executionId: 'x', call, code: 'ALREADY_DECIDED', detail: 'too late' })),
  );
});
