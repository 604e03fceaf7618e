import { memoryStore } from '@toolwright/pii';
import { apiKeys } from '@toolwright/server/api-keys';
import { browserSessions } from '@toolwright/server/internal';
import { expect, test } from 'vitest';
import { openDashboard } from './dashboard.ts';

const url = 'http://localhost:8377';

async function print(store: ReturnType<typeof memoryStore>, hasIssuer = false) {
  const lines: string[] = [];
  const output = { out: (text: string) => void lines.push(text), err: () => undefined };
  await openDashboard(store, { url, isOpened: false, json: false, hasIssuer }, output);
  return new URL(lines.join());
}

test('the link of a server without keys has a secret that logs in once', async () => {
  const store = memoryStore();
  const { hash, search } = await print(store);
  const token = /^#token=([\w-]{43})$/.exec(hash)?.[1] ?? '';
  expect(search).toBe('');
  const sessions = browserSessions(store, undefined);
  expect([await sessions.useLink(token), await sessions.useLink(token)]).toEqual([true, false]);
});

test('the link of a server with keys or an issuer has no secret', async () => {
  const store = memoryStore();
  expect((await print(store, true)).hash).toBe('');
  await apiKeys(store).create({ user: 'ada' });
  expect((await print(store)).href).toBe(`${url}/`);
});
