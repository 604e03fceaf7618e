import { describe, expect, it } from 'vitest';
import { detectText } from './text.ts';
import { detectValue } from './value.ts';

const TOKEN = 'Cj0KQ3VyOTdVNXdYb0JhUTJ3PT0a1b2';
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJ${'sdWIiOiIx'.repeat(3)}.c2lnbmF0dXJl`;

describe('the token of a page is no secret', () => {
  it.each<unknown>([
    { nextPageToken: TOKEN },
    { next_page_token: JWT },
    { skipToken: TOKEN },
    { $skiptoken: TOKEN },
    { resume_token: TOKEN },
    { continuation: TOKEN },
    { continuation_token: TOKEN },
    { cursor: Buffer.from('next:4155552671 ada@example.org').toString('base64') },
    { etag: TOKEN, sha: '9d1c2f4e8b6a7c5d3e1f0a9b8c7d6e5f4a3b2c1d' },
    { start_token: TOKEN, deltaToken: TOKEN, nextSyncToken: TOKEN },
    { LastEvaluatedKey: { id: 'x' }, NextToken: TOKEN },
    { paging: { token: TOKEN } },
    { response_metadata: { next_cursor: 'dXNlcjpVMDYxTkZUVDI=' } },
    { pageInfo: { endCursor: TOKEN, token: TOKEN } },
    { metadata: { continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":1234567}').toString('base64') } },
    { change_token: TOKEN, list_token: TOKEN, iterator_token: TOKEN },
  ])('%j', (value) => {
    expect(detectText(JSON.stringify(value))).toEqual([]);
    expect(detectText(JSON.stringify(value, null, 2))).toEqual([]);
    expect(detectValue(value)).toEqual([]);
  });

  it.each([`GET /items?pageToken=${TOKEN}&x=1`, `next_page_token: ${TOKEN}`, `const skipToken = "${TOKEN}"`])(
    'in text: %s',
    (text) => {
      expect(detectText(text)).toEqual([]);
    },
  );
});

describe('other tokens are secrets', () => {
  it.each<Record<string, unknown>>([
    { token: TOKEN },
    { access_token: TOKEN },
    { refreshToken: TOKEN },
    { session_token: TOKEN },
    { next_access_token: TOKEN },
    { resume_auth_token: TOKEN },
    { page_access_token: TOKEN },
    { data: { token: TOKEN } },
    { metadata: { token: TOKEN } },
    { stream_token: TOKEN },
    { cursor: 'x', apiKey: TOKEN },
  ])('%j', (value) => {
    expect(detectText(JSON.stringify(value)).map(({ type }) => type)).toEqual(['SECRET']);
    expect(detectValue(value).flatMap(({ spans }) => spans.map(({ type }) => type))).toEqual(['SECRET']);
  });

  it('in text', () => {
    expect(detectText(`access_token=${TOKEN}`)).toHaveLength(1);
  });
});
