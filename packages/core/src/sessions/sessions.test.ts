import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { fileExecutions } from '../history/storages/files.ts';
import { createSessionStore } from './sessions.ts';

const quota = { workspaceBytes: 10_000, workspaceFiles: 100 };

function openSessions(customer?: string) {
  const dataDir = temporaryFolder();
  return {
    dataDir,
    ...createSessionStore({ dataDir, executions: fileExecutions({ dataDir }), quota, customer }),
  };
}

describe('a session', () => {
  test('is stored with its user, and found by its id', async () => {
    const { dataDir, sessions } = openSessions();
    const session = await sessions.create({ userId: 'ada@example.org' });
    expect(session).toEqual({
      id: expect.stringMatching(/^[a-z2-7]{26}$/),
      userId: 'ada@example.org',
      createdAt: session.lastUsedAt,
      lastUsedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const again = createSessionStore({ dataDir, executions: fileExecutions({ dataDir }), quota });
    expect(await again.sessions.get(session.id, { userId: 'ada@example.org' })).toMatchObject({ id: session.id });
  });

  test('of another user raises the same error as a missing one', async () => {
    const { sessions, open } = openSessions();
    const { id } = await sessions.create({ userId: 'ada' });
    const missing = 'a'.repeat(26);
    const asks = (id: string) => [
      sessions.get(id, { userId: 'bob' }),
      sessions.get(id),
      sessions.log(id, { userId: 'bob' }),
      sessions.files(id, { userId: 'bob' }),
      sessions.remove(id, { userId: 'bob' }),
      open({ userId: 'bob', sessionId: id }, 'x', quota),
      open({ userId: 'bob', sessionId: id, createSession: id !== missing }, 'x', quota),
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
    expect(await sessions.get(id, { userId: 'ada' })).toMatchObject({ id });
    expect(await sessions.list({ userId: 'bob' })).toEqual([]);
  });

  test.each(['../x', '', 'a/b', '.', 'x'.repeat(65), 'é', 'CON:', 'a\0'])('cannot have the id %j', async (id) => {
    const { dataDir, sessions, open } = openSessions();
    expect((await failureOf(sessions.get(id))).code).toBe('UNKNOWN_SESSION');
    expect((await failureOf(open({ userId: 'a', sessionId: id }, 'x', quota))).code).toBe('UNKNOWN_SESSION');
    const make = open({ userId: 'a', sessionId: id, createSession: true }, 'x', quota);
    expect((await failureOf(make)).code).toBe('CONFIG_INVALID');
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('is created with an id of the caller once, for the first user', async () => {
    const { sessions, open } = openSessions();
    const users = Array.from({ length: 10 }, (_, index) => `user${index}`);
    const all = await Promise.allSettled(
      users.map((user) => open({ userId: user, sessionId: 'mine', createSession: true }, 'x', quota)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const owners = await Promise.all(users.map((user) => sessions.list({ userId: user })));
    expect(owners.flat()).toHaveLength(1);
    expect(owners[all.findIndex(({ status }) => status === 'fulfilled')]).toHaveLength(1);
  });

  test('with a damaged record is unknown, and cannot be created again', async () => {
    const { dataDir, sessions, open } = openSessions();
    for (const [id, text] of [
      ['empty', ''],
      ['other', '{"id":"x","user":"local","createdAt":"2026-01-01T00:00:00Z"}'],
    ]) {
      mkdirSync(join(dataDir, 'sessions', id ?? ''), { recursive: true });
      writeFileSync(join(dataDir, 'sessions', id ?? '', 'session.json'), text ?? '');
      expect((await failureOf(sessions.get(id ?? ''))).code).toBe('UNKNOWN_SESSION');
      const make = open({ userId: undefined, sessionId: id, createSession: true }, 'x', quota);
      expect((await failureOf(make)).message).toContain('has files of a session');
    }
    expect(await sessions.list()).toEqual([]);
  });

  test('is listed by its last use, and removed with all its files', async () => {
    const { dataDir, sessions, open } = openSessions();
    const first = await sessions.create();
    const second = await sessions.create();
    await sleep(5);
    const { workspace } = await open({ userId: undefined, sessionId: first.id }, 'x', quota);
    await workspace().write('/workspace/a', Buffer.from('A'), 'replace');
    expect((await sessions.list()).map(({ id }) => id)).toEqual([first.id, second.id]);
    await sleep(5);
    await sessions.files(second.id);
    expect((await sessions.list()).map(({ id }) => id)).toEqual([second.id, first.id]);
    await sessions.remove(first.id);
    expect(existsSync(join(dataDir, 'sessions', first.id))).toBe(false);
    expect(await readdir(join(dataDir, 'sessions'))).toEqual([second.id]);
  });

  test('has files that the host reads and writes by guest path', async () => {
    const { sessions, open } = openSessions();
    const { id } = await sessions.create();
    const files = await sessions.files(id);
    await files.write('/workspace/a', Buffer.from([0, 255]), 'replace');
    const { workspace } = await open({ userId: undefined, sessionId: id }, 'x', quota);
    expect([...(await workspace().read('/workspace/a', 10))]).toEqual([0, 255]);
    expect(await files.list('/workspace', true)).toMatchObject([{ name: 'a', size: 2 }]);
    const tooMuch = files.write('/workspace/b', Buffer.alloc(10_000), 'replace');
    expect((await failureOf(tooMuch)).code).toBe('WORKSPACE_FULL');
  });
});

test("sessions of one customer share a workspace, which stays when one is removed; other customers' are apart", async () => {
  const { sessions } = openSessions('acme');
  const [ada, bob] = [await sessions.create({ userId: 'ada' }), await sessions.create({ userId: 'bob' })];
  const other = await sessions.create({ userId: 'ada', customer: 'Acme' });
  expect([ada.customer, bob.customer, other.customer]).toEqual(['acme', 'acme', 'Acme']);
  await (await sessions.files(ada.id, { userId: 'ada' })).write('/workspace/a', Buffer.from('A'), 'replace');
  await sessions.remove(ada.id, { userId: 'ada' });
  expect(await (await sessions.files(bob.id, { userId: 'bob' })).list('/workspace', true)).toMatchObject([
    { name: 'a' },
  ]);
  expect(await (await sessions.files(other.id, { userId: 'ada' })).list('/workspace', true)).toEqual([]);
});

test.each(['', 'x'.repeat(257)])('%j is refused as a user', async (user) => {
  const { sessions } = openSessions();
  expect((await failureOf(sessions.create({ userId: user }))).code).toBe('CONFIG_INVALID');
});
