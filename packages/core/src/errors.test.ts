import { expect, test } from 'vitest';
import { SandboxError } from '../../sandbox/src/errors.ts';
import { ToolwrightError } from './errors.ts';

class OwnError extends ToolwrightError {}

test('errors of all packages are instances of the base class, and only its own of a class that extends it', () => {
  const [base, own] = [new ToolwrightError('INTERNAL', 'a'), new OwnError('INTERNAL', 'b')];
  const errors = [base, own, new SandboxError('TIMEOUT' as never, 'c'), new Error('d'), undefined];
  expect(errors.map((error) => error instanceof ToolwrightError)).toEqual([true, true, true, false, false]);
  expect(errors.map((error) => error instanceof OwnError)).toEqual([false, true, false, false, false]);
});
