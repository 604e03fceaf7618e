import { expect, test } from 'vitest';
import { partial } from '../../../test/fixtures/partial.ts';
import { createConnection, isPrivate, serverUrlOf, targetOf } from './connection.ts';

test('a server beyond this machine gets a key over HTTPS only', async () => {
  const read: string[] = [];
  const stored: string[] = [];
  const secrets = {
    get: async (name: string) => void read.push(name) as undefined,
    store: async (name: string) => void stored.push(name),
    delete: async () => undefined,
  };
  let url = 'http://tools.example.invalid';
  const connection = createConnection({ readUrl: () => url, secrets: partial(secrets) });
  await expect(connection.signIn('tw_key')).rejects.toThrow('is not encrypted');
  await expect(connection.send('executions')).rejects.toThrow();
  expect([read, stored]).toEqual([[], []]);
  url = 'https://tools.example.invalid';
  await expect(connection.send('executions')).rejects.toThrow();
  expect(read).toEqual(['toolwright.key https://tools.example.invalid/']);
});

test.each([
  ['http://127.0.0.1:8377', 'http://127.0.0.1:8377/'],
  [' https://example.com/tools/tw ', 'https://example.com/tools/tw/'],
  ['https://example.com/tw//?a=1#b', 'https://example.com/tw/'],
])('the setting %j means the server %s', (text, href) => {
  expect(serverUrlOf(text).href).toBe(href);
});

test.each(['', 'localhost:8377', 'file:///etc/passwd', 'https://ann:secret@example.com', 'javascript:alert(1)'])(
  'the setting %j is refused',
  (text) => {
    expect(() => serverUrlOf(text)).toThrow('toolwright.serverUrl');
  },
);

const server = serverUrlOf('https://example.com/tw');

test('paths of the API are below the server', () => {
  expect(targetOf(server, 'executions?limit=1').href).toBe('https://example.com/tw/executions?limit=1');
  expect(targetOf(server, 'sessions/a%20b/files/c%25/d.txt').href).toBe(
    'https://example.com/tw/sessions/a%20b/files/c%25/d.txt',
  );
});

test.each([
  ...['https://evil.example/tw/executions', '//evil.example/tw/', '/\\evil.example/', 'http://example.com/tw/x'],
  ...['https://example.com:444/tw/x', '/other', '/tw/executions', '../other', 'x/../../other', '%2e%2e/other'],
  ...['x/..%2f..%2fother', 'x/%2e%2e%5cother', 'x/..\\..\\other', 'x%00/%zz', '\t//evil.example/tw/', 'file:///tw/'],
  ...['https://ann@example.com/tw/x', 'x/%252e%252e/other'],
])('the path %j is refused', (path) => {
  expect(() => targetOf(server, path)).toThrow('is not below the URL of the server');
});

test.each([
  ['https://example.com', true],
  ['http://127.0.0.1:8377', true],
  ['http://[::1]:8377', true],
  ['http://localhost', true],
  ['http://example.com', false],
  ['http://localhost.example.com', false],
])('a key on its way to %s is secret: %s', (url, isSecret) => {
  expect(isPrivate(new URL(url))).toBe(isSecret);
});
