import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { firstAbort } from './first-abort.ts';

it('aborts with the reason of the first signal, also of one that has aborted before', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const first = firstAbort([one.signal, two.signal]);
  expect(first.signal.aborted).toBe(false);
  two.abort('second');
  one.abort('late');
  expect(first.signal.reason).toBe('second');
  expect(firstAbort([one.signal]).signal.reason).toBe('late');
});

it('leaves nothing at its signals once it is disposed', () => {
  const { signal } = new AbortController();
  {
    using _first = firstAbort([signal]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
