import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { unlessRunning } from './unless-running.ts';

it('starts work again after it has ended or failed, and not before', async () => {
  const ends: ((isGood: boolean) => void)[] = [];
  const start = unlessRunning(
    () => new Promise<void>((resolve, reject) => ends.push((isGood) => (isGood ? resolve() : reject(new Error('no'))))),
  );
  start();
  start();
  expect(ends).toHaveLength(1);
  for (const isGood of [true, false, true]) {
    ends.at(-1)?.(isGood);
    await sleep(0);
    const before = ends.length;
    start();
    start();
    expect(ends).toHaveLength(before + 1);
  }
});
