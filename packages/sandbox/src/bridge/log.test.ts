import { expect, test } from 'vitest';
import type { LogLine } from './log.ts';
import { createGuestLog } from './log.ts';

test('keeps lines and calls the listener in order', () => {
  const reported: LogLine[] = [];
  const log = createGuestLog(100, (line) => reported.push(line));
  log.add('info', 'a');
  log.add('error', 'ü\nb');
  const lines = [
    { level: 'info', text: 'a' },
    { level: 'error', text: 'ü\nb' },
  ];
  expect([log.lines, reported, log.dropped()]).toEqual([lines, lines, 0]);
});

test('drops and counts lines over the limit, and still keeps a shorter line', () => {
  const reported: LogLine[] = [];
  const log = createGuestLog(10, (line) => reported.push(line));
  log.add('info', '12345');
  log.add('info', 'üüü');
  log.add('info', '123');
  log.add('info', '');
  const lines = [
    { level: 'info', text: '12345' },
    { level: 'info', text: '123' },
  ];
  expect([log.lines, reported, log.dropped()]).toEqual([lines, lines, 7 + 1]);
});

test('counts empty lines', () => {
  const log = createGuestLog(3);
  for (let index = 0; index < 10; index++) log.add('debug', '');
  expect([log.lines.length, log.dropped()]).toEqual([3, 7]);
});

test.each<[unknown, unknown, LogLine]>([
  ['fatal', 'x', { level: 'info', text: 'x' }],
  [undefined, undefined, { level: 'info', text: 'undefined' }],
  [{ toString: 1 }, 5, { level: 'info', text: '5' }],
  ['warn', ['a', 'b'], { level: 'warn', text: 'a,b' }],
])('any message of the guest becomes a line: %j %j', (level, text, line) => {
  const log = createGuestLog(100);
  log.add(level, text);
  expect(log.lines).toEqual([line]);
});
