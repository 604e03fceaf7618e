import { expect, test } from 'vitest';
import { guestPath, parseGuestPath } from './paths.ts';

test.each([
  ['a.txt', '/workspace/a.txt'],
  ['./a//b/', '/workspace/a/b'],
  ['/workspace/a', '/workspace/a'],
  ['workspace/a', '/workspace/a'],
  ['skills/a', '/skills/a'],
  ['/', '/'],
  ['.', '/workspace'],
  ['..', '/workspace'],
  ['../../../../../../etc/passwd', '/workspace/etc/passwd'],
  ['/workspace/../../etc/passwd', '/etc/passwd'],
  ['/workspace/a/../b', '/workspace/b'],
  ['a/./../b', '/workspace/b'],
  ['%2e%2e/a', '/workspace/%2e%2e/a'],
  ['größe 変数 😀', '/workspace/größe 変数 😀'],
  ['x'.repeat(255), `/workspace/${'x'.repeat(255)}`],
  [Array(63).fill('a').join('/'), `/workspace/${Array(63).fill('a').join('/')}`],
])('%s', (path, expected) => {
  expect(guestPath(parseGuestPath(path))).toBe(expected);
});

test.each<[unknown, string, string]>([
  ['', 'EINVAL', 'A path must be a string such as /workspace/a.txt.'],
  [undefined, 'EINVAL', 'A path must be a string such as /workspace/a.txt.'],
  [5, 'EINVAL', 'A path must be a string such as /workspace/a.txt.'],
  [['a'], 'EINVAL', 'A path must be a string such as /workspace/a.txt.'],
  ['a\u0000b', 'EINVAL', 'A file name must not contain control characters or a backslash.'],
  ['a\nb', 'EINVAL', 'A file name must not contain control characters or a backslash.'],
  ['..\\..\\etc', 'EINVAL', 'A file name must not contain control characters or a backslash.'],
  ['x'.repeat(256), 'ENAMETOOLONG', 'A file name can have at most 255 bytes.'],
  ['ü'.repeat(128), 'ENAMETOOLONG', 'A file name can have at most 255 bytes.'],
  [Array(64).fill('a').join('/'), 'ENAMETOOLONG', 'A path can have at most 64 parts.'],
  ['a/../'.repeat(10_000), 'ENAMETOOLONG', 'A path can have at most 32768 characters.'],
])('path %# is refused with $1', (path, errno, message) => {
  const parse = () => parseGuestPath(path);
  expect(parse).toThrow(
    expect.objectContaining({ code: 'FILE_ERROR', message: `${errno}: ${message}`, details: { errno } }),
  );
});
