import { expect, test } from 'vitest';
import { maxConnections } from './limits.ts';

test.each([
  [Number.POSITIVE_INFINITY, 2_000],
  [1_048_576, 2_000],
  [1_024, 640],
  [512, 128],
  [256, 64],
])('with %i file descriptors there are %i connections: the rest is for guests', (descriptors, connections) => {
  expect(maxConnections(descriptors)).toBe(connections);
});
