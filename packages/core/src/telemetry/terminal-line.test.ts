import { expect, test } from 'vitest';
import { terminalLine } from './terminal-line.ts';

test('a line for a person has no fields of programs, and only the first line of an error', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5).getTime();
  const err = { type: 'Error', message: 'it is gone\n    at x.js:1', stack: 'Error: it is gone\n    at x.js:1' };
  const line = {
    level: 40,
    time,
    pid: 1,
    hostname: 'h',
    name: 'toolwright',
    server: 'git',
    tries: 2,
    err,
    msg: 'no server',
  };
  expect(terminalLine(JSON.stringify(line))).toBe('03:04:05  warning  no server: it is gone  server=git  tries=2\n');
  const plain = { level: 50, time, msg: 'a', warning: 'two\nlines' };
  expect(terminalLine(JSON.stringify(plain))).toBe('03:04:05  error  a  warning=two lines\n');
});
