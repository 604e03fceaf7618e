import { expect, test } from 'vitest';
import { PYTHON_ANNOUNCED, PYTHON_AS_WRITTEN } from '../fixtures/ordinary-programs/everyday/python.ts';
import { TYPESCRIPT_ANNOUNCED, TYPESCRIPT_AS_WRITTEN } from '../fixtures/ordinary-programs/everyday/typescript.ts';
import { over, testEveryday } from './compare.ts';

await testEveryday(over('python', PYTHON_AS_WRITTEN));

test('of the everyday programs of both languages, at least 85 % work as they are written', () => {
  const asWritten = TYPESCRIPT_AS_WRITTEN.length + PYTHON_AS_WRITTEN.length;
  const announced = TYPESCRIPT_ANNOUNCED.length + PYTHON_ANNOUNCED.length;
  expect(asWritten).toBeGreaterThanOrEqual(140);
  expect(asWritten / (asWritten + announced)).toBeGreaterThanOrEqual(0.85);
});
