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

test('a server that never rests floods after 10 s', () => {
  const { inboundLimiter, spend } = clocked();
  let waitedMs = 0;
  while (!inboundLimiter.isFlooded && waitedMs < 60_000) {
    inboundLimiter.take(() => spend(30));
    const pauseMs = inboundLimiter.pauseMs();
    spend(pauseMs);
    waitedMs += pauseMs + 30;
  }
  expect(waitedMs).toBeGreaterThanOrEqual(10_000);
  expect(waitedMs).toBeLessThan(11_000);
});

test('a server that rests between bursts does not flood', () => {
  const { inboundLimiter, spend } = clocked();
  for (let burst = 0; burst < 20; burst++) {
    inboundLimiter.take(() => spend(150));
    expect(inboundLimiter.pauseMs()).toBeGreaterThan(0);
    spend(5_000);
    expect([inboundLimiter.pauseMs(), inboundLimiter.isFlooded]).toEqual([0, false]);
  }
});

test('counts a minimum cost per message', () => {
  const inboundLimiter = new InboundLimiter(() => 0);
  for (let message = 0; message < 3_000; message++) inboundLimiter.take(() => undefined);
  expect(inboundLimiter.pauseMs()).toBeGreaterThan(100);
});
