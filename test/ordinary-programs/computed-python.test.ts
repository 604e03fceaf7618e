import { expect, test } from 'vitest';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { ANNOUNCED, AS_WRITTEN } from '../fixtures/ordinary-programs/as-written.ts';
import { needsJail } from '../jail/raw.ts';
import { testComputed } from './compute.ts';

const jail = await probeJail('python');
needsJail(jail).describe('in the jail', () => testComputed('jail', 'python'));

test('of the ordinary expressions, at least 85 % work as they are written', () => {
  const count = (lists: typeof AS_WRITTEN) => lists.typescript.length + lists.python.length;
  expect(count(AS_WRITTEN)).toBeGreaterThanOrEqual(150);
  expect(count(AS_WRITTEN) / (count(AS_WRITTEN) + count(ANNOUNCED))).toBeGreaterThanOrEqual(0.85);
});
