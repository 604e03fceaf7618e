import { describe, expect, test } from 'vitest';
import type { PreparedSource } from '../../../../sandbox/src/languages/language.ts';
import { describeFailure } from './failure.ts';

const SOURCE: PreparedSource = {
  guest: 'javascript',
  code: '',
  source: '',
  namespaces: new Map(),
  passesData: false,
  reportsReads: false,
  names: { texts: [], functions: [] },
  position: (line, column) => ({ line, column }),
};
const FAILURE = { name: 'Error', message: 'from the program', stack: '' };

describe('the code of an error', () => {
  test.each([
    [undefined, 'GUEST_ERROR'],
    ['E_MINE', 'E_MINE'],
    ['NEVER_SETTLES', 'NEVER_SETTLES'],
    ['RESULT_NOT_JSON', 'RESULT_NOT_JSON'],
    ['SANDBOX_LOST', 'GUEST_ERROR'],
    ['INTERNAL', 'GUEST_ERROR'],
    ['CANCELLED', 'GUEST_ERROR'],
    ['UNKNOWN_TOOL', 'GUEST_ERROR'],
    ['UNAUTHENTICATED', 'GUEST_ERROR'],
  ])('with the code %s, set by the program, is %s', (code, reported) => {
    const failure = code === undefined ? FAILURE : { ...FAILURE, code };
    expect(describeFailure(failure, SOURCE)).toMatchObject({ kind: 'user', code: reported, message: FAILURE.message });
  });
});

describe('the text of an error of the host', () => {
  test.each([
    ['INTERNAL', 'internal', 'from the host'],
    ['TOOL_TIMEOUT', 'upstream', 'from the host'],
    ['TOOL_FAILED', 'user', 'from the program'],
  ] as const)('with the code %s and the kind %s is %s', (code, kind, message) => {
    const fault = { code, message: 'from the host' };
    expect(describeFailure(FAILURE, SOURCE, fault)).toMatchObject({ kind, code, message });
  });
});

test('names in a stack are bounded', () => {
  const frames = Array.from({ length: 8 }, () => `at ${'n'.repeat(8_000)} (/program.js:3:1)`);
  const { stack = '' } = describeFailure({ ...FAILURE, stack: frames.join('\n') }, SOURCE);
  expect([stack.split('\n').length, stack.length < 3_000]).toEqual([8, true]);
});
