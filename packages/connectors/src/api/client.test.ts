import { expect, test } from 'vitest';
import { partial } from '../../../../test/fixtures/partial.ts';
import { redirected } from './client.ts';
import { isPublicHost } from './urls.ts';

const headers = new Headers({ authorization: 'Bearer secret', accept: 'text/plain', cookie: 'a=b' });

async function follow(location: string, status = 302, method = 'GET', isPublic = true) {
  const request = { method, url: new URL('https://api.test/a'), headers, body: 'x' };
  return redirected(request, partial({ status, headers: new Headers({ location }) }), async () => isPublic);
}

test('within the origin, headers and body stay; a POST becomes a GET after 302', async () => {
  const same = await follow('/b', 307, 'POST');
  expect(same).toMatchObject({ isSameOrigin: true, request: { method: 'POST', body: 'x', headers } });
  expect((await follow('/b', 302, 'POST'))?.request).toEqual({
    method: 'GET',
    url: new URL('https://api.test/b'),
    headers,
  });
});

test('to another origin, only `Accept` goes along', async () => {
  const other = await follow('https://files.test/f');
  expect(other?.isSameOrigin).toBe(false);
  expect(other?.request).toEqual({
    method: 'GET',
    url: new URL('https://files.test/f'),
    headers: new Headers({ accept: 'text/plain' }),
  });
});

test.each([
  ['https://files.test/f', 307, 'POST', true, 'would send the arguments there'],
  ['http://api.test/f', 302, 'GET', true, 'no HTTPS'],
  ['https://files.test/f', 302, 'GET', false, 'in a private network'],
  ['https://', 302, 'GET', true, 'no URL'],
  ['file:///etc/passwd', 302, 'GET', true, 'no HTTPS'],
])('refuses %s after %d for %s', async (location, status, method, isPublic, reason) => {
  await expect(follow(location, status, method, isPublic)).rejects.toThrow(reason);
});

test('an answer without a location is no redirect', async () => {
  const request = { method: 'GET', url: new URL('https://api.test/a'), headers };
  expect(await redirected(request, partial({ status: 304, headers: new Headers({ location: '/x' }) }))).toBeUndefined();
  expect(await redirected(request, partial({ status: 302, headers: new Headers() }))).toBeUndefined();
});

test('a host is public when all of its addresses are', async () => {
  expect(await isPublicHost(new URL('https://localhost'))).toBe(false);
  expect(await isPublicHost(new URL('https://[::1]'))).toBe(false);
  expect(await isPublicHost(new URL('https://8.8.8.8'))).toBe(true);
});
