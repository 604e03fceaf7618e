import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startProxy } from '../../../../../test/fixtures/proxy.ts';
import { temporaryFile } from '../../../../../test/fixtures/server.ts';
import { networkFindings } from './network.ts';

it('reports each proxy once, without its password, and whether somebody listens', async () => {
  await using proxy = await startProxy();
  const url = proxy.url.replace('//', '//ada:s3cret@');
  expect(await networkFindings({})).toEqual([]);
  expect(await networkFindings({ HTTP_PROXY: url, NO_PROXY: '.corp' })).toEqual([
    { subject: 'proxy HTTP_PROXY', ok: true, text: `${proxy.url}, except for this machine and .corp` },
  ]);
  const absent = await networkFindings({ HTTPS_PROXY: 'http://ada:s3cret@127.0.0.1:1', HTTP_PROXY: url });
  expect(absent.map(({ subject, ok }) => [subject, ok])).toEqual([
    ['proxy HTTPS_PROXY', false],
    ['proxy HTTP_PROXY', true],
  ]);
  expect(JSON.stringify(absent)).not.toContain('s3cret');
  expect(await networkFindings({ all_proxy: 'socks5://a.example' })).toMatchObject([{ ok: false }]);
});

it('warns about authorities that Node ignores', async () => {
  const file = temporaryFile();
  expect(await networkFindings({ NODE_EXTRA_CA_CERTS: file })).toMatchObject([{ warning: true }]);
  writeFileSync(file, '-----BEGIN CERTIFICATE-----');
  expect(await networkFindings({ NODE_EXTRA_CA_CERTS: file })).toEqual([
    { subject: 'certificates NODE_EXTRA_CA_CERTS', ok: true, text: file },
  ]);
});
