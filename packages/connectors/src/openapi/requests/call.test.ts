import { expect, test } from 'vitest';
import { joinPages, nextPage } from './call.ts';

const URL_NOW = new URL('https://api.test/v1/items?page=1');

function next(value: unknown, cursor?: string, link = '', args = {}): unknown {
  const answer = { url: URL_NOW, status: 200, headers: new Headers(link === '' ? {} : { link }), bytes: Buffer.of() };
  const found = nextPage(answer, value, args, { origin: 'https://api.test', cursor });
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

test.each([
  ['https://other.test/v1/items?page=2', 'is on https://other.test'],
  ['//other.test/v1/items?page=2', 'is on https://other.test'],
  ['http://api.test/v1/items?page=2', 'is on http://api.test'],
  ['https://user@api.test/v1/items?page=2', 'has a user name'],
  ['https://', 'is no URL'],
])('a page at %s is an error', (address, reason) => expect(() => next({ next: address })).toThrow(reason));

test.each([
  ['an address', { next: 'https://api.test/v1/items?page=2' }],
  ['a path', { next: '/v1/items?page=2' }],
  ['a cursor', { next_cursor: 'x' }],
])('%s in the answer of another origin is an error', (_title, value) => {
  const answer = { url: new URL('https://cdn.test/f'), status: 200, headers: new Headers(), bytes: Buffer.of() };
  const options = { origin: 'https://api.test', cursor: 'cursor' };
  expect(() => nextPage(answer, value, {}, options)).toThrow('is on https://cdn.test');
  expect(nextPage(answer, { items: [] }, {}, options)).toBeUndefined();
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
