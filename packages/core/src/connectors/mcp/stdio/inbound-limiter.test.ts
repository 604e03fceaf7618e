import { expect, test } from 'vitest';
import { InboundLimiter } from './inbound-limiter.ts';

function clocked() {
  let now = 0;
  const spend = (ms: number): void => {
    now += ms;
  };
  return { inboundLimiter: new InboundLimiter(() => now), spend };
}

test('accepts answers without a pause, at any cost', () => {
  const { inboundLimiter, spend } = clocked();
  for (let call = 0; call < 1_000; call++) {
    inboundLimiter.sent();
    inboundLimiter.take(() => spend(50));
  }
  expect(inboundLimiter.pauseMs()).toBe(0);
});

test('unrequested messages may use a fifth of the time, after the first 100 ms', () => {
  const { inboundLimiter, spend } = clocked();
  inboundLimiter.take(() => spend(100));
  expect(inboundLimiter.pauseMs()).toBe(0);
  inboundLimiter.take(() => spend(50));
  // 150 ms were used, 130 ms are allowed.
  expect(inboundLimiter.pauseMs()).toBe(100);
  spend(100);
  expect(inboundLimiter.pauseMs()).toBe(0);
});

test('counts a minimum cost per message', () => {
  const inboundLimiter = new InboundLimiter(() => 0);
  for (let message = 0; message < 3_000; message++) inboundLimiter.take(() => undefined);
  expect(inboundLimiter.pauseMs()).toBeGreaterThan(100);
});
