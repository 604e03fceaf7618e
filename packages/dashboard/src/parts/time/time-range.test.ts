import { expect, test } from 'vitest';
import { fieldTime, isoOf, timeRangeOf, timesOf } from './time-range.ts';

test('a URL has hours before now, or two times', () => {
  expect(timeRangeOf({ hours: '24', from: '2026-01-01T00:00:00Z' })).toEqual({ hours: 24 });
  expect(timeRangeOf({ hours: '99999999' })).toEqual({ hours: 8760 });
  expect(timeRangeOf({ from: '2026-01-01T01:00:00+01:00', to: 'tomorrow' })).toEqual({
    from: '2026-01-01T00:00:00.000Z',
  });
  for (const hours of ['-1', '0', 'x', undefined]) expect(timeRangeOf({ hours, from: 'x' })).toEqual({});
});

test('hours begin at a whole minute, and times stay as they are', () => {
  const now = Date.parse('2026-01-02T03:04:05.678Z');
  expect(timesOf({ hours: 1 }, now)).toEqual({ from: '2026-01-02T02:04:00.000Z' });
  const times = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' };
  expect([timesOf(times, now), timesOf({}, now)]).toEqual([times, {}]);
});

test('a field has the time of this time zone, and its text is the same time again', () => {
  const time = '2026-03-01T12:30:00.000Z';
  expect(fieldTime(time)).toMatch(/^2026-0[23]-\d\dT\d\d:\d\d$/);
  expect(isoOf(fieldTime(time))).toBe(time);
});

test.each(['', '0002-01-01T10:00', '0202-01-01T10:00', '+12026-01-01T00:00:00Z', 'soon'])(
  '"%s" is no time yet',
  (text) => expect(isoOf(text)).toBeUndefined(),
);
