import { expect, test } from 'vitest';
import { joinPages, nextPage } from './pages.ts';

const URL_NOW = new URL('https://api.test/v1/items?page=1');

function next(value: unknown, cursor?: string, link = '', args = {}): unknown {
  const answer = { url: URL_NOW, status: 200, headers: new Headers(link === '' ? {} : { link }), bytes: Buffer.of() };
  const found = nextPage(answer, value, args, cursor);
  return found === undefined ? undefined : 'url' in found ? found.url.href : found.args;
}

test.each([
  ['a header', '</v1/items?page=0>; rel="prev", </v1/items?page=2>; rel="next"', 'https://api.test/v1/items?page=2'],
  ['a header with a plain relation', '<?page=3>; title="x"; rel=next', 'https://api.test/v1/items?page=3'],
  ['a header with several relations', '<?page=4>; rel="last next"', 'https://api.test/v1/items?page=4'],
  ['a header of the last page', '<?page=0>; rel="prev"', undefined],
])('%s', (_title, link, expected) => expect(next([], 'page', link)).toBe(expected));

test.each([
  ['an address', { next: 'https://api.test/v1/items?page=2' }, undefined, 'https://api.test/v1/items?page=2'],
  ['a link in HAL', { _links: { next: { href: '/v1/items?page=2' } } }, undefined, 'https://api.test/v1/items?page=2'],
  ['OData', { '@odata.nextLink': '?page=2' }, undefined, 'https://api.test/v1/items?page=2'],
  ['a cursor', { items: [], next_cursor: 'x1' }, 'cursor', { cursor: 'x1' }],
  ['a token', { items: [], nextPageToken: 'x2' }, 'pageToken', { pageToken: 'x2' }],
  ['Slack', { channels: [], response_metadata: { next_cursor: 'x3' } }, 'cursor', { cursor: 'x3' }],
  ['Kubernetes', { items: [], metadata: { continue: 'x4' } }, 'continue', { continue: 'x4' }],
  ['Stripe', { data: [{ id: 'a' }, { id: 'b' }], has_more: true }, 'starting_after', { starting_after: 'b' }],
  ['Stripe, last page', { data: [{ id: 'a' }], has_more: false }, 'starting_after', undefined],
  ['an empty cursor', { items: [], response_metadata: { next_cursor: '' } }, 'cursor', undefined],
  ['no parameter for a cursor', { items: [], next_cursor: 'x' }, undefined, undefined],
])('%s', (_title, value, cursor, expected) => expect(next(value, cursor)).toEqual(expected));

test('the same cursor again is the end', () => {
  expect(next({ next_cursor: 'x' }, 'cursor', '', { cursor: 'x' })).toBeUndefined();
});

test('a page on another server is an error', () => {
  expect(() => next({ next: 'https://other.test/v1/items?page=2' })).toThrow('is on https://other.test');
});

test('lists are joined; other members are those of the last page', () => {
  expect(joinPages([[1], [2, 3]])).toEqual([1, 2, 3]);
  expect(
    joinPages([
      { data: [1], n: 1 },
      { data: [2], n: 2 },
    ]),
  ).toEqual({ data: [1, 2], n: 2 });
  expect(
    joinPages([
      { tags: ['x'], items: [1] },
      { tags: [], items: [2] },
    ]),
  ).toEqual({ tags: [], items: [1, 2] });
  expect(joinPages([{ a: 1 }])).toEqual({ a: 1 });
});
