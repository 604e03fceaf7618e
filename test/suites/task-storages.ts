import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { PendingQuestion } from '@toolwright/core';
import { brokenRule } from '../../packages/conformance/src/broken-rule.ts';
import { DEFAULT_TASK_LIMITS } from '../../packages/server/src/agent/limits.ts';
import { stateOf, taskOf } from '../../packages/server/src/agent/state.ts';
import type { OwnTranscript, TaskStorage, TranscriptReader } from '../../packages/server/src/agent/storages/storage.ts';
import { parseEntry, type TaskRecord, type TranscriptEntry } from '../../packages/server/src/agent/transcript-entry.ts';

/** Two owners of the same tasks, like two processes. */
export interface TaskStorageRun {
  readonly one: TaskStorage;
  readonly other: TaskStorage;
  /** Lets the leases of `one` expire. */
  readonly expire: () => Promise<void>;
}

/** One rule that every storage of tasks must keep. */
export interface TaskStorageCase {
  readonly name: string;
  /** Whether the rule needs leases that expire soon. */
  readonly expires?: boolean;
  /** Rejects with an `AssertionError` when the storage breaks the rule. `user` has tasks of this run only. */
  run(run: TaskStorageRun, user: string): Promise<void>;
}

/** Runs one case. Rejects with an `AssertionError` that names the rule when the storage breaks it. */
export async function runTaskStorageCase(run: TaskStorageRun, testCase: TaskStorageCase): Promise<void> {
  try {
    await testCase.run(run, randomUUID());
  } catch (error) {
    throw brokenRule('storage of tasks', testCase.name, error);
  } finally {
    await run.one[Symbol.asyncDispose]();
    await run.other[Symbol.asyncDispose]();
  }
}

const LOST = { code: 'TASK_TAKEN_OVER' };

/** Returns the record of a new task. */
export function newRecord(userId: string, sessionId = 'session', task = 'x'): TaskRecord {
  const rest = { model: 'm/x', language: 'typescript', limits: DEFAULT_TASK_LIMITS } as const;
  return { id: randomUUID(), userId, sessionId, task, ...rest, createdAt: new Date().toISOString() };
}

function textEvent(number: number, text: string): TranscriptEntry {
  return { entry: 'event', event: { number, type: 'text-delta', text } };
}

async function add(transcript: OwnTranscript, ...entries: readonly TranscriptEntry[]): Promise<void> {
  for (const entry of entries) transcript.append(entry);
  await transcript.flushed();
}

async function acquired(storage: TaskStorage, id: string): Promise<OwnTranscript> {
  const transcript = await storage.acquire(id);
  assert.ok(transcript, 'no owner has the task');
  return transcript;
}

async function idsOf(ids: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const id of ids) found.push(id);
  return found;
}

/** Reads until an event has a number. Returns the numbers of new events, in order. */
async function numbersTo(reader: TranscriptReader, last: number): Promise<number[]> {
  const numbers: number[] = [];
  const deadline = Date.now() + 20_000;
  for (let seen = 0; seen < last; ) {
    assert.ok(Date.now() < deadline, `the reader did not reach event ${last}: ${numbers.join(' ')}`);
    const lines = await reader.next();
    for (const line of lines) {
      const entry = parseEntry(line);
      const number = entry?.entry === 'event' ? entry.event.number : 0;
      if (number <= seen) continue;
      seen = number;
      numbers.push(number);
    }
    if (lines.length === 0) await reader.changed();
  }
  return numbers;
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** The rules that every storage of tasks must keep, in the order in which they run. */
export const taskStorageCases: readonly TaskStorageCase[] = [
  {
    name: 'keeps flushed entries unchanged and in order, for every owner',
    async run({ one, other }, user) {
      const record = newRecord(`${user} ☃ "'`, 'session 𝄞', 'a\u2028b\0c\rd');
      const odd = ['snow ☃ 𝄞 \u0000 \\', 'a\nb\u0085', "it's {,}", 'x'.repeat(2 ** 20)];
      const entries = odd.map((text, index) => textEvent(index + 1, text));
      const transcript = await one.create(record);
      await add(transcript, ...entries.slice(0, 1));
      await add(transcript, ...entries.slice(1));
      const all = [{ entry: 'task', ...record }, ...entries];
      assert.deepEqual(await other.read(record.id), all);
      await transcript.release();
      assert.deepEqual((await acquired(other, record.id)).entries, all);
      assert.deepEqual(await idsOf(other.list(record.userId)), [record.id]);
    },
  },
  {
    name: 'refuses a second task with the same id, and one that its creator refuses',
    async run({ one, other }, user) {
      const record = newRecord(user);
      const refused = new Error('refused');
      const refuse = () => {
        throw refused;
      };
      await assert.rejects(one.create(record, refuse), refused);
      assert.deepEqual([await one.read(record.id), await one.acquire(record.id)], [undefined, undefined]);
      await (await one.create(record)).flushed();
      await assert.rejects(other.create(record), { code: 'TASK_RUNNING' });
      assert.equal((await one.read(record.id))?.length, 1);
    },
  },
  {
    name: 'lets one owner at a time have a task, and the next one continue after its last entry',
    async run({ one, other }, user) {
      const { id } = newRecord(user);
      assert.deepEqual(
        [await one.acquire(id), await one.read(id), await one.lease(id)],
        [undefined, undefined, undefined],
      );
      const record = newRecord(user);
      const first = await one.create(record);
      assert.deepEqual([await one.acquire(record.id), await other.acquire(record.id)], [undefined, undefined]);
      assert.equal((await other.lease(record.id))?.isAlive, true);
      first.append(textEvent(1, 'a'));
      await first.release();
      assert.equal(await other.lease(record.id), undefined);
      const tries = await Promise.all([other.acquire(record.id), other.acquire(record.id), other.acquire(record.id)]);
      const [second, ...more] = tries.filter((transcript) => transcript !== undefined);
      assert.ok(second && more.length === 0);
      await add(second, textEvent(2, 'b'));
      assert.deepEqual((await one.read(record.id))?.slice(1), [textEvent(1, 'a'), textEvent(2, 'b')]);
    },
  },
  {
    name: 'keeps the questions of a waiting task for every owner, also after a lost lease',
    expires: true,
    async run({ one, other, expire }, user) {
      const record = newRecord(user);
      const args = { to: '[EMAIL_1] ☃' };
      const question: PendingQuestion = {
        ...({ call: 1, kind: 'outcome', tool: 'a__b', arguments: args, binding: 'x' } as const),
        expiresAt: record.createdAt,
      };
      const questions = [question];
      const waiting = { type: 'waiting', call: 'c1', execution: 'e1', waitingFor: ['outcome'], questions } as const;
      const events = [waiting, { type: 'status', status: 'waiting' }] as const;
      const entries = events.map(
        (event, index): TranscriptEntry => ({ entry: 'event', event: { number: index + 1, ...event } }),
      );
      await add(await one.create(record), ...entries);
      const expected = { status: 'waiting', pending: [{ executionId: 'e1', ...question }] };
      const shown = async (all: readonly TranscriptEntry[] | undefined) => {
        const state = stateOf(all ?? []);
        assert.ok(state, 'the task has a transcript');
        const { status, pending } = taskOf(state);
        assert.deepEqual({ status, pending }, expected);
      };
      await shown(await other.read(record.id));
      await expire();
      await shown((await acquired(other, record.id)).entries);
    },
  },
  {
    name: 'lets another owner take an expired lease over, and refuses the former owner for ever',
    expires: true,
    async run({ one, other, expire }, user) {
      const record = newRecord(user);
      const former = await one.create(record);
      await add(former, textEvent(1, 'a'));
      assert.deepEqual([await other.acquire(record.id), await other.waiting()], [undefined, []]);
      await expire();
      assert.equal((await other.lease(record.id))?.isAlive, false);
      assert.deepEqual(await other.waiting(), [record.id]);
      const next = await acquired(other, record.id);
      assert.deepEqual([next.entries.length, await other.waiting(), former.isHeld()], [2, [], false]);
      for (let attempt = 0; attempt < 2; attempt++)
        await assert.rejects(async () => add(former, textEvent(2, 'late')), LOST);
      await add(next, textEvent(2, 'b'));
      await assert.rejects(async () => add(former, textEvent(3, 'later')), LOST);
      await former.release().catch(() => undefined);
      // The release of the former owner leaves the new lease alone.
      assert.equal((await one.lease(record.id))?.isAlive, true);
      assert.deepEqual((await one.read(record.id))?.slice(1), [textEvent(1, 'a'), textEvent(2, 'b')]);
    },
  },
  {
    name: 'passes each dead task to a watch',
    expires: true,
    async run({ one, other, expire }, user) {
      const record = newRecord(user);
      await (await one.create(record)).flushed();
      await expire();
      const found = await new Promise<string>((resolve) => {
        const end = other.watch(async (id) => {
          end();
          resolve(id);
        });
      });
      assert.equal(found, record.id);
    },
  },
  {
    name: 'lets readers follow a task over several owners, also one that is stuck',
    async run({ one, other }, user) {
      const record = newRecord(user);
      const first = await one.create(record);
      await first.flushed();
      const [near, far, stuck] = [
        await one.follow(record.id),
        await other.follow(record.id),
        await other.follow(record.id),
      ];
      const following = [numbersTo(near, 1_600), numbersTo(far, 1_600)];
      const write = async (transcript: OwnTranscript, from: number, to: number) => {
        for (let number = from; number <= to; number++) {
          transcript.append(textEvent(number, `text ${number}`));
          if (number % 50 === 0) await transcript.flushed();
        }
        await transcript.release();
      };
      await write(first, 1, 800);
      await write(await acquired(other, record.id), 801, 1_600);
      assert.deepEqual(await Promise.all(following), [upTo(1_600), upTo(1_600)]);
      assert.deepEqual(await numbersTo(stuck, 1_600), upTo(1_600));
      for (const reader of [near, far, stuck]) await reader.close();
    },
  },
  {
    name: 'resolves for a waiting process when a task is released',
    async run({ one, other }, user) {
      const record = newRecord(user);
      const transcript = await one.create(record);
      const released = (async () => {
        while ((await other.lease(record.id)) !== undefined) await other.released(record.id);
      })();
      await transcript.release();
      await released;
      await assert.rejects(other.released(record.id, AbortSignal.abort()));
    },
  },
  {
    name: 'lists the tasks of a user and of a session, newest first',
    async run({ one, other }, user) {
      const records = Array.from({ length: 130 }, (_, index) => newRecord(user, `session ${index % 2}`));
      for (const [index, record] of records.entries()) await (await (index % 3 ? one : other).create(record)).release();
      await (await one.create(newRecord(`${user}2`))).release();
      const ids = records.map(({ id }) => id).reverse();
      assert.deepEqual(await idsOf(other.list(user)), ids);
      assert.deepEqual(await idsOf(one.list(user, { before: ids[9] })), ids.slice(10));
      const own = records.filter(({ sessionId }) => sessionId === 'session 1').map(({ id }) => id);
      own.reverse();
      assert.deepEqual(await idsOf(one.list(user, { sessionId: 'session 1' })), own);
      assert.deepEqual(await idsOf(other.list(user, { sessionId: 'session 1', before: own[9] })), own.slice(10));
      const before = records.at(-1)?.id;
      assert.deepEqual(
        await idsOf(one.list(user, { sessionId: 'session 0', before })),
        ids.filter((id) => !own.includes(id)),
      );
      assert.deepEqual(await idsOf(one.list(`${user}2`, { sessionId: 'session 1' })), []);
      assert.deepEqual(await idsOf(one.list('nobody')), []);
    },
  },
];
