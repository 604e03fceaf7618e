import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

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
