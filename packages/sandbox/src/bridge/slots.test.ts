import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { createSlots } from './slots.ts';

/** Returns tasks that end on demand, and the order of their starts. */
function tasks() {
  const begun: number[] = [];
  const ends = new Map<number, (error?: Error) => void>();
  const task = (number: number) => () =>
    new Promise<number>((resolve, reject) => {
      begun.push(number);
      ends.set(number, (error) => (error ? reject(error) : resolve(number)));
    });
  return { begun, task, end: (number: number, error?: Error) => ends.get(number)?.(error) };
}

test('runs as many tasks as there are slots, and the others in order', async () => {
  const { begun, task, end } = tasks();
  const slots = createSlots(2);
  const all = [1, 2, 3, 4].map((number) => slots.run(task(number)));
  await setImmediate();
  expect(begun).toEqual([1, 2]);
  end(2);
  await setImmediate();
  expect(begun).toEqual([1, 2, 3]);
  end(1);
  await setImmediate();
  end(3);
  end(4);
  expect([begun, await Promise.all(all)]).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 4],
  ]);
});

test('a task that fails frees its slot', async () => {
  const { begun, task, end } = tasks();
  const slots = createSlots(1);
  const failing = slots.run(task(1));
  const next = slots.run(task(2));
  await setImmediate();
  end(1, new Error('no'));
  await expect(failing).rejects.toThrow('no');
  await setImmediate();
  end(2);
  expect([await next, begun]).toEqual([2, [1, 2]]);
  const again = slots.run(task(3));
  await setImmediate();
  end(3);
  expect(await again).toBe(3);
});

test('a task that throws at once frees its slot', async () => {
  const slots = createSlots(1);
  const broken = (): Promise<void> => {
    throw new Error('at once');
  };
  await expect(slots.run(broken)).rejects.toThrow('at once');
  expect(await slots.run(async () => 'free')).toBe('free');
});

test('close rejects waiting tasks, and running tasks continue', async () => {
  const { begun, task, end } = tasks();
  const slots = createSlots(1);
  const running = slots.run(task(1));
  const refused = failureOf(slots.run(task(2)));
  await setImmediate();
  slots.close();
  end(1);
  expect([await running, (await refused).code, begun]).toEqual([1, 'CANCELLED', [1]]);
});
