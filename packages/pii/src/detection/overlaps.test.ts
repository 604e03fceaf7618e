import { expect, it } from 'vitest';
import type { Evidence, Span } from './detector.ts';
import { resolveOverlaps } from './overlaps.ts';

const span = (start: number, end: number, type = 'PHONE', evidence: Evidence = 'shape'): Span => ({
  start,
  end,
  type,
  evidence,
});

it('keeps the longer, then the better proved, then the first type', () => {
  expect(resolveOverlaps([span(0, 4), span(2, 9), span(9, 12)])).toEqual([span(2, 9), span(9, 12)]);
  expect(resolveOverlaps([span(0, 4), span(0, 4, 'SSN', 'proved')])).toEqual([span(0, 4, 'SSN', 'proved')]);
  expect(resolveOverlaps([span(0, 4, 'NAME'), span(0, 4, 'EMAIL'), span(0, 4, 'MINE')])).toEqual([span(0, 4, 'MINE')]);
});

it('keeps both neighbours of a dropped span if they do not overlap each other', () => {
  expect(resolveOverlaps([span(0, 5), span(4, 8), span(7, 12)])).toEqual([span(0, 5), span(7, 12)]);
});

it('is sorted and free of overlaps for any spans', () => {
  let state = 7;
  const next = (below: number) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  for (let round = 0; round < 300; round++) {
    const spans = Array.from({ length: 20 }, () => {
      const start = next(60);
      return span(start, start + 1 + next(12));
    });
    const kept = resolveOverlaps(spans);
    for (let index = 1; index < kept.length; index++) {
      expect(kept[index]?.start).toBeGreaterThanOrEqual(kept[index - 1]?.end ?? 0);
    }
    const free = (a: Span) => kept.every((b) => a.end <= b.start || b.end <= a.start);
    expect(spans.filter(free)).toEqual([]);
  }
});
