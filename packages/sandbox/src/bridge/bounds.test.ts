import { setImmediate } from 'node:timers/promises';
import { expect, it, test } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { createAdmission, createSlots, createTurns } from './bounds.ts';

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

it('refuses requests over the memory limit until earlier ones have their answers', async () => {
  const { enter, leave } = createAdmission();
  const large = { value: null, bytes: 20_000_000 };
  for (let request = 0; request < 6; request++) enter(large);
  expect(await failureOf((async () => enter(large))())).toMatchObject({
    code: 'BUSY',
    message: 'More than 134217728 bytes of requests are pending. Await some before you send more.',
  });
  leave(large);
  expect(enter(large)).toBe(large);
});

it('accepts one request of any size', () => {
  const large = { value: null, bytes: 200_000_000 };
  expect(createAdmission().enter(large)).toBe(large);
});

function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('work continues at once until it has occupied the event loop for too long', async () => {
  const turn = createTurns(10);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  for (let piece = 0; piece < 20; piece++) {
    await turn();
    busy(3);
  }
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
  expect(turns).toBeLessThan(15);
});
