import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { brokenRule } from '../../packages/conformance/src/broken-rule.ts';
import type { SessionEntry } from '../../packages/core/src/sessions/log.ts';
import type { SessionRecords } from '../../packages/core/src/sessions/records/records.ts';
import type { Session } from '../../packages/core/src/sessions/session.ts';

/** Two handles of the same sessions, like two processes. */
export interface SessionRecordsRun {
  readonly one: SessionRecords;
  readonly other: SessionRecords;
}

/** One rule that all records of sessions must keep. */
export interface SessionRecordsCase {
  readonly name: string;
  /** Rejects with an `AssertionError` when the records break the rule. `mint` returns an id of this run only. */
  run(run: SessionRecordsRun, mint: () => string): Promise<void>;
}

/** Runs one case. Rejects with an `AssertionError` that names the rule when the records break it. */
export async function runSessionRecordsCase(run: SessionRecordsRun, testCase: SessionRecordsCase): Promise<void> {
  const mint = () => randomBytes(13).toString('hex');
  try {
    await testCase.run(run, mint);
  } catch (error) {
    throw brokenRule('records of sessions', testCase.name, error);
  }
}

/** More than the entries of one read. */
const MANY = 1_010;
const MOST = 1_000;

function entryOf(execution: string, code = ''): SessionEntry {
  const at = '2026-01-02T03:04:05.678Z';
  return {
    at,
    execution,
    language: 'typescript',
    code,
    status: 'completed',
    calls: [],
    callCount: 0,
    files: [],
    ms: 1,
  };
}

async function created(records: SessionRecords, id: string, userId = 'ada', customer?: string): Promise<Session> {
  const session = await records.create({ id, userId, customer });
  assert.ok(session, 'the id is new');
  return session;
}

const idsOf = (sessions: readonly Session[]) => sessions.map(({ id }) => id);

/** The rules that all records of sessions must keep. */
export const sessionRecordsCases: readonly SessionRecordsCase[] = [
  {
    name: 'finds a session with its user, its customer and its times',
    async run({ one, other }, mint) {
      const id = mint();
      const userId = 'Ä@x.org\u0000\ud800 "\u{1F600}';
      const session = await created(one, id, userId, 'acme\u0001');
      assert.deepEqual(session, { ...session, id, userId, customer: 'acme\u0001', lastUsedAt: session.createdAt });
      assert.match(session.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(await other.find(id), { ...session, lastUsedAt: (await other.find(id))?.lastUsedAt });
      assert.equal((await created(one, mint())).customer, undefined);
      assert.equal(await one.find(mint()), undefined);
    },
  },
  {
    name: 'creates an id once, also when several processes create it at once',
    async run({ one, other }, mint) {
      const id = mint();
      const users = ['ada', 'bob', 'eve', 'dan'];
      const all = await Promise.all(
        users.map((userId, index) => (index % 2 ? one : other).create({ id, userId }).catch(() => undefined)),
      );
      const [winner, ...more] = all.filter((session) => session !== undefined);
      assert.equal(more.length, 0);
      assert.equal((await one.find(id))?.userId, winner?.userId);
    },
  },
  {
    name: 'lists the sessions of one user in pages, last used first',
    async run({ one, other }, mint) {
      const user = mint();
      const ids = [mint(), mint(), mint(), mint(), mint()];
      for (const id of ids) {
        await created(one, id, user);
        await sleep(5);
      }
      await created(one, mint(), `${user}2`);
      const [first = '', second = '', third = '', ...rest] = ids;
      await other.touch(first);
      const order = [first, ...rest.reverse(), third, second];
      assert.deepEqual(idsOf(await one.list(user)), order);
      assert.deepEqual(idsOf(await one.list(user, { limit: 2 })), order.slice(0, 2));
      assert.deepEqual(idsOf(await one.list(user, { limit: 2, before: order[1] })), order.slice(2, 4));
      assert.deepEqual(await one.list(user, { before: order[4] }), []);
      assert.deepEqual(await one.list(user, { before: mint() }), []);
    },
  },
  {
    name: 'records uses, and knows whether an execution has ended',
    async run({ one, other }, mint) {
      const { id, lastUsedAt } = await created(one, mint());
      await sleep(5);
      assert.deepEqual(await other.touch(id), { isNew: true });
      const touched = (await one.find(id))?.lastUsedAt ?? '';
      assert.ok(touched > lastUsedAt);
      assert.equal(await one.isNew(id), true);
      await sleep(5);
      await other.append(id, entryOf('a'));
      assert.ok(((await one.find(id))?.lastUsedAt ?? '') > touched);
      assert.deepEqual([await one.isNew(id), await one.touch(id)], [false, { isNew: false }]);
    },
  },
  {
    name: 'keeps the log in the order of its entries, with any text',
    async run({ one, other }, mint) {
      const { id } = await created(one, mint());
      const entries = [entryOf('a', 'x\u0000\n\ud800 \u{1F600}\u2028'), entryOf('b'), entryOf('c')];
      for (const [index, entry] of entries.entries()) await (index % 2 ? one : other).append(id, entry);
      assert.deepEqual(await one.entries(id), entries);
      assert.deepEqual(await one.entries((await created(one, mint())).id), []);
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? one : other).append(id, entryOf(`d${index}`))),
      );
      assert.equal((await other.entries(id)).length, entries.length + added.length);
    },
  },
  {
    name: 'returns the newest thousand entries',
    async run({ one }, mint) {
      const { id } = await created(one, mint());
      for (let number = 0; number < MANY; number++) await one.append(id, entryOf(String(number)));
      const executions = (await one.entries(id)).map(({ execution }) => execution);
      assert.deepEqual(
        executions,
        Array.from({ length: MOST }, (_, index) => String(MANY - MOST + index)),
      );
    },
  },
  {
    name: 'removes a session with its log, for ever',
    async run({ one, other }, mint) {
      const { id, userId } = await created(one, mint(), mint());
      await one.append(id, entryOf('a'));
      await other.remove(id);
      await one.append(id, entryOf('b'));
      await one.touch(id);
      await one.remove(id);
      assert.deepEqual([await one.find(id), await one.list(userId), await one.entries(id)], [undefined, [], []]);
      await created(one, id, userId);
      assert.deepEqual(await other.entries(id), []);
    },
  },
  {
    name: 'finds the sessions that nobody used for a time',
    async run({ one, other }, mint) {
      const [old, used] = [(await created(one, mint())).id, (await created(one, mint())).id];
      await sleep(300);
      await one.touch(used);
      const found: string[] = [];
      for await (const page of other.unused(200)) found.push(...idsOf(page));
      assert.deepEqual([found.includes(old), found.includes(used)], [true, false]);
    },
  },
];
