import { expect, test } from 'vitest';
import { fairQueue } from './fairness.ts';

function drain<T>(queue: ReturnType<typeof fairQueue<T>>): T[] {
  const all: T[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) all.push(item);
  return all;
}

test('takes turns between tenants, and keeps the order within each', () => {
  const queue = fairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.push(item.charAt(0), item);
  expect([queue.length, queue.peek()]).toEqual([6, 'a1']);
  expect([drain(queue), queue.length, queue.peek()]).toEqual([['a1', 'b1', 'c1', 'a2', 'b2', 'a3'], 0, undefined]);
});

test('removes an item at any position', () => {
  const queue = fairQueue<string>();
  for (const item of ['a1', 'a2', 'b1']) queue.push(item.charAt(0), item);
  expect([queue.remove('a', 'a1'), queue.remove('a', 'a1'), queue.remove('x', 'a2'), queue.remove('b', 'b1')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect([queue.length, drain(queue)]).toEqual([1, ['a2']]);
});
