import { expect, test } from 'vitest';
import { ownershipProblem } from './ownership.ts';

const user = { uid: 1000, groups: [1000, 10001] };
const problem = (kind: 'folder' | 'secret' | 'file', uid: number, gid: number, mode: number, isMount = false) =>
  ownershipProblem('/d', { uid, gid, mode: 0o040000 | mode }, { kind, isMount, user });

test.each([
  ['folder', 1000, 1000, 0o700],
  ['folder', 1000, 1000, 0o755],
  ['folder', 0, 0, 0o755],
  ['folder', 0, 10001, 0o2775],
  ['file', 1000, 1000, 0o644],
  ['secret', 1000, 1000, 0o600],
  ['secret', 0, 0, 0o600],
] as const)('a %s of %i:%i with mode %o is good', (kind, uid, gid, mode) => {
  expect(problem(kind, uid, gid, mode)).toBeUndefined();
});

test.each([
  ['folder', 1000, 1000, 0o777, 'writable for other users (mode 0777). Run: chmod 700 /d'],
  ['folder', 1000, 1000, 0o770, 'Run: chmod 700 /d'],
  ['folder', 1000, 1000, 0o702, 'Run: chmod 700 /d'],
  ['folder', 0, 50, 0o775, 'Run: chmod 700 /d'],
  ['folder', 0, 10001, 0o777, 'Run: chmod 700 /d'],
  [
    'folder',
    1001,
    1000,
    0o700,
    'belongs to another user (uid 1001), not to this one (uid 1000). Run: chown -R 1000 /d',
  ],
  ['file', 1000, 1000, 0o666, 'Run: chmod 600 /d'],
  ['file', 1001, 1000, 0o600, 'Run: chown 1000 /d'],
  ['secret', 1000, 1000, 0o640, 'readable by other users (mode 0640). Run: chmod 600 /d'],
  ['secret', 0, 10001, 0o660, 'writable for other users (mode 0660)'],
] as const)('a %s of %i:%i with mode %o is refused', (kind, uid, gid, mode, text) => {
  expect(problem(kind, uid, gid, mode)).toContain(text);
});

test('the root of a volume may be writable for all if root has made it, and no other folder', () => {
  expect(problem('folder', 0, 0, 0o777, true)).toBeUndefined();
  expect(problem('folder', 1000, 1000, 0o777, true)).toContain('chmod 700');
  const root = { uid: 0, groups: [0] };
  expect(
    ownershipProblem('/d', { uid: 0, gid: 0, mode: 0o777 }, { kind: 'folder', isMount: true, user: root }),
  ).toContain('chmod 700');
});
