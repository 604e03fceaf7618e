import { expect, test } from 'vitest';
import { isAllowed } from './tool-filter.ts';

test('allows all tools by default, and none with an empty list', () => {
  expect(isAllowed('a')).toBe(true);
  expect(isAllowed('a', { allow: [] })).toBe(false);
});

test('patterns match complete names, and deny overrides allow', () => {
  const filter = { allow: ['read_*', '*.get', 'x'], deny: ['*secret*'] };
  const names = ['read_file', 'read_', 'users.get', 'usersXget', 'x', 'xx', 'read_secrets'];
  expect(names.filter((name) => isAllowed(name, filter))).toEqual(['read_file', 'read_', 'users.get', 'x']);
});
