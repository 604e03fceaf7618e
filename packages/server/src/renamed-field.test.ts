import { expect, test } from 'vitest';
import { renameField } from './renamed-field.ts';

const rename = (fields: Record<string, unknown>) => renameField(fields, 'session', 'sessionId');

test.each([
  ['the current name stays', { sessionId: 'a', code: '1' }, { sessionId: 'a', code: '1' }],
  ['the deprecated name is renamed', { session: 'a', code: '1' }, { sessionId: 'a', code: '1' }],
  ['equal values of both names become one', { session: 'a', sessionId: 'a' }, { sessionId: 'a' }],
  ['a request without either stays', { code: '1' }, { code: '1' }],
])('%s', (_name, fields, expected) => {
  expect(rename(fields)).toEqual({ fields: expected });
});

test('different values of both names are refused, and the problem contains both names', () => {
  expect(rename({ session: 'a', sessionId: 'b' })).toEqual({
    problem: '"sessionId" and "session" differ. Send "sessionId" alone: "session" is deprecated.',
  });
});
