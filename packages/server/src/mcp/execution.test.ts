import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { progressReporter } from './execution.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('reports to a waiting client that the execution still runs', () => {
  const sent: unknown[] = [];
  const notify = async ({ params }: { readonly params: { readonly message: string } }) => sent.push(params.message);
  const progress = progressReporter({ mcpReq: { _meta: { progressToken: 1 }, notify } } as never);
  progress.report('call 1: a__b');
  vi.advanceTimersByTime(31_000);
  progress.close();
  vi.advanceTimersByTime(60_000);
  expect(sent).toEqual(['call 1: a__b', 'still running', 'still running']);
});

it('sends nothing without a token', () => {
  const progress = progressReporter({ mcpReq: { notify: () => Promise.reject(new Error('not asked')) } } as never);
  progress.report('call 1: a__b');
  expect(vi.getTimerCount()).toBe(0);
  progress.close();
});
