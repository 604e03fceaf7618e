import { expect, test } from 'vitest';
import { renameField } from './renamed-field.ts';

const rename = (fields: Record<string, unknown>) => renameField(fields, 'session', 'sessionId');

test.each([
  ['the current spelling stays', { sessionId: 'a', code: '1' }, { sessionId: 'a', code: '1' }],
  ['the deprecated spelling is renamed', { session: 'a', code: '1' }, { sessionId: 'a', code: '1' }],
  ['two equal spellings become one', { session: 'a', sessionId: 'a' }, { sessionId: 'a' }],
  ['a request without either stays', { code: '1' }, { code: '1' }],
])('%s', (_name, fields, expected) => {
  expect(rename(fields)).toEqual({ fields: expected });
});

test('two spellings that differ are refused by a reason that names both', () => {
  expect(rename({ session: 'a', sessionId: 'b' })).toEqual({
    problem: '"sessionId" and "session" differ. Send "sessionId" alone: "session" is deprecated.',
  });
});
