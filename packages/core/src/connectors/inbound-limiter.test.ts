import { expect, test } from 'vitest';
import { Inflow } from './inbound-limiter.ts';

function clocked() {
  let now = 0;
  const spend = (ms: number): void => {
    now += ms;
  };
  return { inflow: new Inflow(() => now), spend };
}

test('answers are taken as fast as they come, whatever they cost', () => {
  const { inflow, spend } = clocked();
  for (let call = 0; call < 1_000; call++) {
    inflow.sent();
    inflow.take(() => spend(50));
  }
  expect(inflow.pauseMs()).toBe(0);
});

test('what nobody asked for may take a fifth of the time, after the first 100 ms', () => {
  const { inflow, spend } = clocked();
  inflow.take(() => spend(100));
  expect(inflow.pauseMs()).toBe(0);
  inflow.take(() => spend(50));
  // 150 ms were taken, 130 could be.
  expect(inflow.pauseMs()).toBe(100);
  spend(100);
  expect(inflow.pauseMs()).toBe(0);
});

test('messages that cost nothing at once still cost something', () => {
  const inflow = new Inflow(() => 0);
  for (let message = 0; message < 3_000; message++) inflow.take(() => undefined);
  expect(inflow.pauseMs()).toBeGreaterThan(100);
});
