import { expect, it } from 'vitest';
import type { TaskRecord } from '../transcript-entry.ts';
import { createTurns } from './turns.ts';

/** Returns a task whose name begins with its user. */
function taskOf(id: string, sessionId = id): TaskRecord {
  return { id, userId: id.slice(0, 1), sessionId } as TaskRecord;
}

it('takes tasks of the users with the fewest running ones, one of a session, as a cluster does', async () => {
  await using turns = createTurns();
  const [a1, a2, a3, b1] = [taskOf('a1', 's'), taskOf('a2', 's'), taskOf('a3'), taskOf('b1')];
  for (const task of [a1, a2, a3, b1]) await turns.add(task);
  expect(await turns.take(2)).toEqual(['a1', 'b1']);
  expect(await turns.take(2)).toEqual([]);
  await turns.end(b1);
  expect(await turns.take(4)).toEqual(['a3']);
  await turns.end(a1);
  expect(await turns.take(4)).toEqual(['a2']);
});

it('takes a task again that has ended, and none that left while it waited', async () => {
  await using turns = createTurns();
  const [one, other] = [taskOf('a1'), taskOf('b1')];
  for (const task of [one, other]) await turns.add(task);
  await turns.end(other);
  expect(await turns.take(4)).toEqual(['a1']);
  await turns.end(one);
  await turns.add(one);
  expect(await turns.take(4)).toEqual(['a1']);
});
