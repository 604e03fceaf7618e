import { expect, it } from 'vitest';
import { nextPageOf } from './more-pages.ts';

it.each([
  [{ contacts: [], next_cursor: '3' }, 'next_cursor'],
  [{ items: [], nextPage: 2 }, 'nextPage'],
  [{ data: [], has_more: true }, 'has_more'],
  [{ items: [], next_cursor: null }, undefined],
  [{ items: [], next_cursor: '', has_more: false }, undefined],
  [[{ next_cursor: 'a' }], undefined],
  ['next_cursor', undefined],
])('%j has the next page in %s', (data, name) => expect(nextPageOf(data)).toBe(name));
