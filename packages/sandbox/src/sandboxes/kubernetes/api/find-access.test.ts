import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findAccess, kubeconfigAccess, podAccess } from './find-access.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-kubeconfig-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a kubeconfig whose current context has this user and cluster. */
function write(user: object, cluster: object = { server: 'https://192.0.2.1:6443' }): string {
  const path = join(folder, 'config');
  const contexts = [
    { name: 'other', context: { cluster: 'none', user: 'none' } },
    { name: 'mine', context: { cluster: 'c', user: 'u' } },
  ];
  const all = { 'current-context': 'mine', contexts, clusters: [{ name: 'c', cluster }], users: [{ name: 'u', user }] };
  writeFileSync(path, JSON.stringify(all));
  return path;
}

it('the current context gives the server, the CA and the token', async () => {
  writeFileSync(join(folder, 'ca.crt'), 'CA');
  const access = await kubeconfigAccess(
    write({ token: 'abc' }, { server: 'https://k.example', 'certificate-authority': 'ca.crt', 'tls-server-name': 'k' }),
  );
  expect([access.server.href, access.source, await access.token()]).toEqual([
    'https://k.example/',
    'the context "mine"',
    'abc',
  ]);
  expect(access.tls).toEqual({ ca: Buffer.from('CA'), servername: 'k' });
});

it('a client certificate is a credential, inline or as files', async () => {
  const inline = (text: string) => Buffer.from(text).toString('base64');
  const certificate = { 'client-certificate-data': inline('CERT'), 'client-key-data': inline('KEY') };
  const { tls, token } = await kubeconfigAccess(write(certificate));
  expect([tls, await token()]).toEqual([{ cert: Buffer.from('CERT'), key: Buffer.from('KEY') }, undefined]);
});

it('the file of a token is read each time', async () => {
  writeFileSync(join(folder, 'token'), 'one\n');
  const { token } = await kubeconfigAccess(write({ tokenFile: 'token' }));
  expect(await token()).toBe('one');
  writeFileSync(join(folder, 'token'), 'two');
  expect(await token()).toBe('two');
});

it('YAML is read too', async () => {
  const path = join(folder, 'yaml');
  const lines = [
    'current-context: a',
    'contexts: [{ name: a, context: { cluster: b, user: c } }]',
    'clusters:\n- name: b\n  cluster:\n    server: https://k.example',
    'users: [{ name: c, user: { token: t } }]',
  ];
  writeFileSync(path, lines.join('\n'));
  expect((await kubeconfigAccess(path)).server.origin).toBe('https://k.example');
});

it.each<[object, object | undefined, string]>([
  [{ exec: { command: 'aws' } }, undefined, 'the context "mine" of FILE needs a credential plugin (exec)'],
  [{ 'auth-provider': { name: 'gcp' } }, undefined, 'the context "mine" of FILE needs an auth provider'],
  [{ username: 'a', password: 'b' }, undefined, 'the context "mine" of FILE needs a password'],
  [{ token: 't' }, { server: 'https://k', 'insecure-skip-tls-verify': true }, 'needs a connection without a check'],
  [{ token: 't' }, { server: 'https://k', 'proxy-url': 'http://p' }, 'needs a proxy (proxy-url)'],
  [{ token: 't' }, {}, 'the cluster of FILE has no server'],
  [{}, undefined, 'the context "mine" of FILE has no credentials'],
  [{ 'client-certificate': 'absent.crt' }, undefined, 'the file of client-certificate is not readable: ENOENT'],
])('%o %o is refused: %s', async (user, cluster, message) => {
  const path = write(user, cluster);
  await expect(kubeconfigAccess(path)).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringContaining(message.replace('FILE', path)),
    details: { fix: expect.any(String) },
  });
});

it('a file that is no kubeconfig is refused', async () => {
  const path = join(folder, 'broken');
  writeFileSync(path, 'a: [');
  await expect(kubeconfigAccess(path)).rejects.toThrow(`${path} is not readable`);
  writeFileSync(path, '{}');
  await expect(kubeconfigAccess(path)).rejects.toThrow(`${path} has no current context`);
  await expect(findAccess(undefined, { KUBECONFIG: join(folder, 'none') })).rejects.toThrow('ENOENT');
});

it('a pod has the token, the CA and the address of its service account', async () => {
  const account = join(folder, 'account');
  mkdirSync(account);
  writeFileSync(join(account, 'token'), 'one\n');
  writeFileSync(join(account, 'ca.crt'), 'CA');
  const access = podAccess({ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' }, account);
  expect([access?.server.href, await access?.token()]).toEqual(['https://[fd00::1]:6443/', 'one']);
  writeFileSync(join(account, 'token'), 'two');
  expect(await access?.token()).toBe('two');
  expect(podAccess({}, account)).toBeUndefined();
  expect(podAccess({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, folder)).toBeUndefined();
});
