import { expect, it } from 'vitest';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { openState } from '../../packages/storage/src/shared-state.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { needsRedis, startRedis } from '../fixtures/redis.ts';

it('creates, lists and revokes keys, and shows each secret once', async () => {
  const { folder, run } = openDesk();
  const empty = await run(['keys']);
  expect(empty).toMatchObject({ code: 0, out: '', err: expect.stringContaining('There are no keys') });

  const made = await run(['keys', 'create', '--user', 'ada', '--name', 'laptop', '--expires-days', '30']);
  expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^twk_[0-9a-f]{16}_[0-9a-f]{64}\n$/)]);
  const text = made.out.trim();
  await using state = await openState({ store: 'sqlite', dataDir: `${folder}/state/toolwright` });
  const known = apiKeys(state.store);
  expect(await known.check(text)).toMatchObject({ is: 'valid', key: { user: 'ada', name: 'laptop' } });

  const listed = await run(['keys', 'list', '--json']);
  const [key] = JSON.parse(listed.out).keys;
  expect(key).toMatchObject({ user: 'ada', name: 'laptop', lastUsedAt: expect.any(String) });
  const people = await run(['keys', 'list']);
  expect(people.out).toContain(`${key.id}  ada  laptop  created `);
  for (const { out, err } of [listed, people]) expect(out + err).not.toContain(text.slice(-64));

  expect(await run(['keys', 'revoke', key.id])).toMatchObject({ code: 0, out: '' });
  expect((await known.check(text)).is).toBe('unknown');
  expect((await run(['keys', 'revoke', key.id])).code).toBe(2);
});

it.each([
  [['keys', 'create']],
  [['keys', 'create', '--user', ' ']],
  [['keys', 'create', '--user', 'ada', '--expires-days', '0']],
  [['keys', 'create', '--user', 'ada', '--expires-days', '99999']],
  [['keys', 'make', '--user', 'ada']],
  [['keys', 'revoke']],
  [['tools', '--user', 'ada']],
  [['keys', 'create', '--user', 'ada', '--user', 'bob']],
  [['keys', 'create', '--user', 'ada', '--scope', '']],
  [['keys', 'create', '--user', 'ada', '--scope', 'executions:read', '--scope', ' , ']],
  [['keys', 'create', '--user', 'ada', '--scope', 'executions:read,executions:all']],
  [['servers', 'add', 'a', '--env', 'A=1', '--env', 'A=2', 'node']],
  [['servers', 'add', 'a', '--header', 'A: 1', '--header', 'a: 2', 'https://127.0.0.1']],
])('rejects the incorrect use %j', async (args) => {
  const { run } = openDesk();
  const { code, out, err } = await run(args);
  expect([code, out]).toEqual([2, '']);
  expect(err).not.toMatch(/^\s+at /m);
});

it.each([
  [['--scope', 'executions:read', '--scope', 'executions:decide']],
  [['--scope', 'executions:decide executions:read']],
  [['--scope', 'executions:decide,executions:read']],
  [['--scope', 'executions:read, executions:decide', '--scope=executions:read']],
])('creates a key with all scopes of %j, and prints them', async (scopes) => {
  const { run } = openDesk();
  const { code, out, err } = await run(['keys', 'create', '--user', 'eve', ...scopes]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^twk_\w+\n$/)]);
  expect(err).toMatch(/^Created the key \w+ of eve, with the scopes executions:read, executions:decide\.$/m);
  const { keys } = JSON.parse((await run(['keys', 'list', '--json'])).out);
  expect(keys).toMatchObject([{ user: 'eve', scopes: ['executions:read', 'executions:decide'] }]);
});

needsRedis.it('keeps keys in Redis if configured, and reports when it is down', async () => {
  const redis = await startRedis();
  const { env, run } = openDesk();
  env.TOOLWRIGHT_STORE = redis.url;
  const { out } = await run(['keys', 'create', '--user', 'ada']);
  await using state = await openState({ store: redis.url, dataDir: '/nowhere' });
  expect((await apiKeys(state.store).check(out.trim())).is).toBe('valid');
  await redis.stop();
  const away = await run(['keys', 'list']);
  expect([away.code, away.out]).toEqual([4, '']);
  expect(away.err).toMatch(/^Redis at .* failed: /);
});
