import { expect, test } from 'vitest';
import { pageOf } from './pages.ts';

const keyOf = (entry: string) => entry;

test('pages have every entry once', () => {
  const all = Array.from({ length: 7 }, (_, index) => `entry ${index}`);
  const seen: string[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 3; pages++) {
    const page = pageOf(all, { cursor, limit: 3, keyOf });
    seen.push(...page.entries);
    cursor = page.nextCursor;
    expect(cursor === undefined).toBe(pages === 2);
  }
  expect(seen).toEqual(all);
  expect(pageOf(all, { limit: 7, keyOf })).toEqual({ entries: all });
  expect(pageOf([], { limit: 7, keyOf })).toEqual({ entries: [] });
});

test('a changed list leaves out no entry', () => {
  const { nextCursor: cursor } = pageOf(['a', 'b', 'c', 'd'], { limit: 2, keyOf });
  expect(pageOf(['new', 'a', 'b', 'c', 'd'], { cursor, limit: 2, keyOf }).entries).toEqual(['c', 'd']);
  expect(pageOf(['b', 'c', 'd'], { cursor, limit: 2, keyOf }).entries).toEqual(['c', 'd']);
  expect(pageOf(['a', 'x', 'c', 'd'], { cursor, limit: 2, keyOf }).entries).toEqual(['c', 'd']);
  expect(pageOf(['a'], { cursor, limit: 2, keyOf })).toEqual({ entries: [] });
});

test.each(['', '2', '-1.aaaaaaaaaaaaaaaa', '1.a', '1.aaaaaaaaaaaaaaaa '])('refuses the cursor %j', (cursor) => {
  expect(() => pageOf(['a'], { cursor, limit: 1, keyOf })).toThrow('Pass the "nextCursor" of the page before');
});
