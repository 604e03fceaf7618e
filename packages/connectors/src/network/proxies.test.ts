import { describe, expect, it } from 'vitest';
import { proxyFor } from './proxies.ts';

const PROXY = 'http://proxy.example:8080';
const shown = (url: string, env: Record<string, string>) => {
  const proxy = proxyFor(new URL(url), env);
  return proxy && ('shown' in proxy ? proxy.shown : proxy.problem);
};

describe('the proxy of an address', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['https://a.example/', { HTTPS_PROXY: PROXY }, PROXY],
    ['https://a.example/', { https_proxy: PROXY, HTTPS_PROXY: 'http://other.example' }, PROXY],
    ['http://a.example/', { HTTPS_PROXY: PROXY }, undefined],
    ['http://a.example/', { HTTP_PROXY: PROXY }, PROXY],
    ['https://a.example/', { HTTP_PROXY: PROXY }, PROXY],
    ['https://a.example/', { ALL_PROXY: PROXY }, PROXY],
    ['http://a.example/', { all_proxy: 'proxy.example:8080' }, PROXY],
    ['https://a.example/', { HTTPS_PROXY: 'http://ada:s3cret@proxy.example:8080/' }, PROXY],
    ['https://a.example/', { HTTPS_PROXY: '' }, undefined],
    [
      'https://a.example/',
      { ALL_PROXY: 'socks5://proxy.example' },
      'socks5:// is not supported. Write an http:// or https:// proxy',
    ],
    ['https://a.example/', { HTTPS_PROXY: 'http://a b' }, 'it is no address. Write http://HOST:PORT'],
    ['http://localhost:3000/', { HTTP_PROXY: PROXY }, undefined],
    ['http://127.0.0.2/', { HTTP_PROXY: PROXY }, undefined],
    ['http://[::1]/', { HTTP_PROXY: PROXY }, undefined],
  ])('%s with %j is %s', (url, env, expected) => {
    expect(shown(url, env)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['*', 'https://a.example/', true],
    ['a.example', 'https://a.example/', true],
    ['A.Example.', 'https://a.example/', true],
    ['example', 'https://a.example/', true],
    ['.example', 'https://a.example/', true],
    ['*.example', 'https://a.example/', true],
    ['.a.example', 'https://a.example/', true],
    ['ample', 'https://a.example/', false],
    ['b.example, a.example', 'https://a.example/', true],
    ['b.example a.example', 'https://a.example/', true],
    ['a.example:8443', 'https://a.example:8443/', true],
    ['a.example:8443', 'https://a.example/', false],
    ['a.example:443', 'https://a.example/', true],
    ['10.1.2.3', 'http://10.1.2.3/', true],
    ['10.0.0.0/8', 'http://10.1.2.3/', true],
    ['10.0.0.0/8', 'http://11.1.2.3/', false],
    ['10.0.0.0/99', 'http://10.1.2.3/', false],
    ['10.*', 'http://10.1.2.3/', true],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['[fd12::1]:80', 'http://[fd12::1]/', true],
    ['2.3', 'http://10.1.2.3/', false],
    ['https://a.example/', 'https://a.example/', true],
    ['', 'https://a.example/', false],
    ['.', 'https://a.example/', false],
  ])('is none for NO_PROXY=%j and %s: %s', (list, url, isDirect) => {
    const direct = ['NO_PROXY', 'no_proxy'].map((name) => shown(url, { ALL_PROXY: PROXY, [name]: list }));
    expect(direct).toEqual(isDirect ? [undefined, undefined] : [PROXY, PROXY]);
  });
});
