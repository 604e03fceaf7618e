import { getHeapSpaceStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { keepYoungMemorySmall, letYoungMemoryGrow } from './young-memory.ts';

const youngBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.physical_space_size ?? 0;

/** Makes many objects that live for a while. */
function fill(): void {
  const kept: object[] = [];
  for (let index = 0; index < 3_000_000; index++) kept[index % 50_000] = { index };
}

it('keeps the memory for new objects at its size, until it may grow', () => {
  const before = youngBytes();
  keepYoungMemorySmall();
  fill();
  expect(youngBytes()).toBeLessThanOrEqual(before);
  letYoungMemoryGrow();
  fill();
  expect(youngBytes()).toBeGreaterThanOrEqual(before);
});
