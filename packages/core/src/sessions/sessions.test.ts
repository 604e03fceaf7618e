import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { createSessionStore } from './sessions.ts';

const quota = { workspaceBytes: 10_000, workspaceFiles: 100 };

function open(customer?: string) {
  const dataDir = temporaryFolder();
  return { dataDir, ...createSessionStore({ dataDir, quota, customer }) };
}

describe('a session', () => {
  test('is kept with its user, and found by its id', async () => {
    const { dataDir, sessions } = open();
    const session = await sessions.create({ user: 'ada@example.org' });
    expect(session).toEqual({
      id: expect.stringMatching(/^[a-z2-7]{26}$/),
      user: 'ada@example.org',
      createdAt: session.lastUsedAt,
      lastUsedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const file = join(dataDir, 'sessions', session.id, 'session.json');
    expect([JSON.parse(readFileSync(file, 'utf8')), statSync(file).mode & 0o777]).toEqual([
      { id: session.id, user: 'ada@example.org', createdAt: session.createdAt },
      0o600,
    ]);
    const again = createSessionStore({ dataDir, quota });
    expect(await again.sessions.get(session.id, { user: 'ada@example.org' })).toMatchObject({ id: session.id });
  });

  test("of another user is answered exactly like one that isn't there", async () => {
    const { sessions, enter } = open();
    const { id } = await sessions.create({ user: 'ada' });
    const missing = 'a'.repeat(26);
    const asks = (id: string) => [
      sessions.get(id, { user: 'bob' }),
      sessions.get(id),
      sessions.log(id, { user: 'bob' }),
      sessions.files(id, { user: 'bob' }),
      sessions.remove(id, { user: 'bob' }),
      enter({ user: 'bob', session: id }, 'x', quota),
      enter({ user: 'bob', session: id, createSession: id !== missing }, 'x', quota),
    ];
    const reported = async (id: string) =>
      Promise.all(
        asks(id).map(async (ask) => {
          const { code, message, details } = await failureOf(ask);
          return { code, message: message.replace(id, 'ID'), details };
        }),
      );
    const theirs = await reported(id);
    expect(theirs).toEqual(await reported(missing));
    expect(new Set(theirs.map(({ code }) => code))).toEqual(new Set(['UNKNOWN_SESSION']));
    expect(await sessions.get(id, { user: 'ada' })).toMatchObject({ id });
    expect(await sessions.list({ user: 'bob' })).toEqual([]);
  });

  test.each(['../x', '', 'a/b', '.', 'x'.repeat(65), 'é', 'CON:', 'a\0'])('has no id like %j', async (id) => {
    const { dataDir, sessions, enter } = open();
    expect((await failureOf(sessions.get(id))).code).toBe('UNKNOWN_SESSION');
    expect((await failureOf(enter({ user: 'a', session: id }, 'x', quota))).code).toBe('UNKNOWN_SESSION');
    const make = enter({ user: 'a', session: id, createSession: true }, 'x', quota);
    expect((await failureOf(make)).code).toBe('CONFIG_INVALID');
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('is made by an id of the caller only where that is said, once, by whoever is first', async () => {
    const { sessions, enter } = open();
    const users = Array.from({ length: 10 }, (_, index) => `user${index}`);
    const all = await Promise.allSettled(
      users.map((user) => enter({ user, session: 'mine', createSession: true }, 'x', quota)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const owners = await Promise.all(users.map((user) => sessions.list({ user })));
    expect(owners.flat()).toHaveLength(1);
    expect(owners[all.findIndex(({ status }) => status === 'fulfilled')]).toHaveLength(1);
  });

  test('with a damaged record is not there, and says so to whoever wants to make it', async () => {
    const { dataDir, sessions, enter } = open();
    for (const [id, text] of [
      ['empty', ''],
      ['other', '{"id":"x","user":"local","createdAt":"2026-01-01T00:00:00Z"}'],
    ]) {
      mkdirSync(join(dataDir, 'sessions', id ?? ''), { recursive: true });
      writeFileSync(join(dataDir, 'sessions', id ?? '', 'session.json'), text ?? '');
      expect((await failureOf(sessions.get(id ?? ''))).code).toBe('UNKNOWN_SESSION');
      const make = enter({ user: undefined, session: id, createSession: true }, 'x', quota);
      expect((await failureOf(make)).message).toContain('no readable session.json');
    }
    expect(await sessions.list()).toEqual([]);
  });

  test('is listed by its last use, and gone with all its files when it is removed', async () => {
    const { dataDir, sessions, enter } = open();
    const first = await sessions.create();
    const second = await sessions.create();
    await sleep(5);
    const { workspace } = await enter({ user: undefined, session: first.id }, 'x', quota);
    await workspace.write('/workspace/a', Buffer.from('A'), 'replace');
    expect((await sessions.list()).map(({ id }) => id)).toEqual([first.id, second.id]);
    await sleep(5);
    await sessions.files(second.id);
    expect((await sessions.list()).map(({ id }) => id)).toEqual([second.id, first.id]);
    await sessions.remove(first.id);
    expect(existsSync(join(dataDir, 'sessions', first.id))).toBe(false);
    expect(await readdir(join(dataDir, 'sessions'))).toEqual([second.id]);
  });

  test('has files that the host reads and writes by the paths of the guest', async () => {
    const { sessions, enter } = open();
    const { id } = await sessions.create();
    const files = await sessions.files(id);
    await files.write('/workspace/a', Buffer.from([0, 255]), 'replace');
    const { workspace } = await enter({ user: undefined, session: id }, 'x', quota);
    expect([...(await workspace.read('/workspace/a', 10))]).toEqual([0, 255]);
    expect(await files.list('/workspace', true)).toMatchObject([{ name: 'a', size: 2 }]);
    const tooMuch = files.write('/workspace/b', Buffer.alloc(10_000), 'replace');
    expect((await failureOf(tooMuch)).code).toBe('WORKSPACE_FULL');
  });
});

test("sessions of one customer share a workspace, which stays when one is removed; other customers' are apart", async () => {
  const { sessions } = open('acme');
  const [ada, bob] = [await sessions.create({ user: 'ada' }), await sessions.create({ user: 'bob' })];
  const other = await sessions.create({ user: 'ada', customer: 'Acme' });
  expect([ada.customer, bob.customer, other.customer]).toEqual(['acme', 'acme', 'Acme']);
  await (await sessions.files(ada.id, { user: 'ada' })).write('/workspace/a', Buffer.from('A'), 'replace');
  await sessions.remove(ada.id, { user: 'ada' });
  expect(await (await sessions.files(bob.id, { user: 'bob' })).list('/workspace', true)).toMatchObject([{ name: 'a' }]);
  expect(await (await sessions.files(other.id, { user: 'ada' })).list('/workspace', true)).toEqual([]);
});

test.each(['', 'x'.repeat(257)])('a user has a name, unlike %j', async (user) => {
  const { sessions } = open();
  expect((await failureOf(sessions.create({ user }))).code).toBe('CONFIG_INVALID');
});
