import type { ListedExecution, PendingQuestion } from '@toolwright/core';
import { expect, test } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { findApprovals } from './open-approvals.ts';

const MOST = 1_000;
const nameOf = (number: number) => `${number}`.padStart(4, '0');
/** Executions, newest first, as an index has them. Each asks one question when it starts. */
const waiting = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: nameOf(count - index), userId: 'ada' }) as ListedExecution);
const executionsOf = (all: readonly ListedExecution[]) => ({
  async *scan() {
    yield all.slice(0, 700);
    yield all.slice(700);
  },
  questions: async (id: string) => [{ call: 1, askedAt: id, binding: id } as PendingQuestion],
});

test('of more executions than are read, the questions of the first started ones are found, and the others reported', async () => {
  const query = { subjects: { all: true }, shown: 'redacted' } as const;
  const all = await findApprovals(partial(executionsOf(waiting(MOST))), query);
  expect([all.questions.length, all.isPart]).toEqual([MOST, false]);
  const { questions, isPart } = await findApprovals(partial(executionsOf(waiting(MOST + 100))), query);
  expect([questions.length, isPart]).toEqual([MOST, true]);
  expect([questions[0]?.executionId, questions.at(-1)?.executionId]).toEqual(['0001', '1000']);
});
