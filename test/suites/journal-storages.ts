import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { brokenRule } from '../../packages/conformance/src/broken-rule.ts';
import { type JournalStorage, type OwnJournal, PAGE_LINES } from '../../packages/core/src/journal/storages/storage.ts';

/** Two owners of the same journals, like two processes. */
export interface JournalStorageRun {
  readonly one: JournalStorage;
  readonly other: JournalStorage;
  /** Lets the leases of `one` expire, and not those of `other`. */
  readonly expire: () => Promise<void>;
}

/** One rule that every storage of journals must keep. */
export interface JournalStorageCase {
  readonly name: string;
  /** Rejects with an `AssertionError` when the storage breaks the rule. `id` is an execution of this run only. */
  run(run: JournalStorageRun, id: string): Promise<void>;
}

/** Runs one case. Rejects with an `AssertionError` that names the rule when the storage breaks it. */
export async function runJournalStorageCase(run: JournalStorageRun, testCase: JournalStorageCase): Promise<void> {
  try {
    await testCase.run(run, randomUUID());
  } catch (error) {
    throw brokenRule('storage of journals', testCase.name, error);
  } finally {
    await run.one[Symbol.asyncDispose]();
    await run.other[Symbol.asyncDispose]();
  }
}

const LOST = { code: 'OWNERSHIP_LOST' };

async function add(journal: OwnJournal, ...lines: string[]): Promise<void> {
  journal.append(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  await journal.flushed();
}

async function acquired(storage: JournalStorage, id: string): Promise<OwnJournal> {
  const journal = await storage.acquire(id);
  assert.ok(journal, 'nobody else has the execution');
  return journal;
}

async function linesOf(storage: JournalStorage, id: string, after?: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const page of storage.read(id, after)) lines.push(...page);
  return lines;
}

async function idsOf(storage: JournalStorage): Promise<Set<string>> {
  const ids: string[] = [];
  for await (const page of storage.list()) ids.push(...page);
  assert.equal(new Set(ids).size, ids.length);
  return new Set(ids);
}

/** The rules that every storage of journals must keep, in the order in which they run. */
export const journalStorageCases: readonly JournalStorageCase[] = [
  {
    name: 'keeps flushed lines unchanged and in order, for every owner',
    async run({ one, other }, id) {
      const journal = await acquired(one, id);
      const odd = [
        '{"a":"snow ☃ 𝄞 \\u0000 \\\\"}',
        'a\u2028b\u2029c\rd\u0085e',
        '',
        ' ',
        'it\'s "quoted" {,}',
        'x'.repeat(2 ** 20),
      ];
      await add(journal, 'first');
      await add(journal, ...odd);
      assert.deepEqual(await linesOf(other, id), ['first', ...odd]);
      assert.deepEqual(await linesOf(one, id, 4), odd.slice(3));
      assert.deepEqual(await linesOf(one, id, 7), []);
    },
  },
  {
    name: `reads a journal of more than ${PAGE_LINES} lines in pages`,
    async run({ one }, id) {
      const journal = await acquired(one, id);
      const lines = Array.from({ length: PAGE_LINES * 2 + 1 }, (_, index) => `line ${index}`);
      await add(journal, ...lines);
      const sizes: number[] = [];
      for await (const page of one.read(id)) sizes.push(page.length);
      assert.deepEqual([sizes, await linesOf(one, id)], [[PAGE_LINES, PAGE_LINES, 1], lines]);
    },
  },
  {
    name: 'reads the ends of a long journal',
    async run({ one, other }, id) {
      const sizes = { firstBytes: 4, lastBytes: 12 };
      assert.equal(await other.ends(id, sizes), undefined);
      const journal = await acquired(one, id);
      assert.deepEqual((await other.ends(id, sizes))?.last, []);
      const before = await other.ends(id, sizes);
      await add(journal, 'first line', 'x'.repeat(2 ** 20), 'b☃', 'last 1');
      // "last 1" and its line break have 7 bytes, "b☃" has 5.
      const ends = await other.ends(id, sizes);
      assert.ok(ends);
      assert.ok(ends.first.startsWith('firs') && ends.changedMs >= (before?.changedMs ?? 0));
      assert.deepEqual(ends.last, ['b☃', 'last 1']);
      for (const [lastBytes, last] of [
        [11, ['last 1']],
        [6, []],
        [2 ** 21, ['b☃', 'last 1']],
      ] as const)
        assert.deepEqual((await other.ends(id, { firstBytes: 0, lastBytes }))?.last, last);
      assert.equal((await other.ends(id, { firstBytes: 100, lastBytes: 0 }))?.first, 'first line');
      await add(journal, 'y'.repeat(100));
      assert.deepEqual((await other.ends(id, sizes))?.last, []);
    },
  },
  {
    name: 'makes lines safe that were added while earlier ones were flushed',
    async run({ one, other }, id) {
      const journal = await acquired(one, id);
      const flushes: Promise<void>[] = [];
      for (let number = 0; number < 50; number++) {
        journal.append(Buffer.from(`${number}\n`));
        flushes.push(journal.flushed());
        if (number % 10 === 0) await flushes[number];
      }
      await Promise.all(flushes);
      assert.deepEqual(
        await linesOf(other, id),
        Array.from({ length: 50 }, (_, number) => String(number)),
      );
    },
  },
  {
    name: 'flushes lines a moment later by itself',
    async run({ one, other }, id) {
      const journal = await acquired(one, id);
      journal.append(Buffer.from('answer\n'));
      for (let look = 0; look < 200 && (await linesOf(other, id)).length === 0; look++)
        await new Promise((resolve) => setTimeout(resolve, 20));
      assert.deepEqual(await linesOf(other, id), ['answer']);
    },
  },
  {
    name: 'lets one owner at a time have an execution',
    async run({ one, other }, id) {
      const tries = await Promise.all([one, other, one, other].map((storage) => storage.acquire(id)));
      assert.equal(tries.filter((journal) => journal !== undefined).length, 1);
      assert.deepEqual([await one.acquire(id), await other.acquire(id)], [undefined, undefined]);
    },
  },
  {
    name: 'lets another owner continue a released execution after its last line',
    async run({ one, other }, id) {
      const first = await acquired(one, id);
      first.append(Buffer.from('a\n'));
      await first.release();
      const second = await acquired(other, id);
      await add(second, 'b');
      assert.deepEqual(await linesOf(one, id), ['a', 'b']);
      await second.release();
      await add(await acquired(one, id), 'c');
      assert.deepEqual(await linesOf(one, id), ['a', 'b', 'c']);
    },
  },
  {
    name: 'keeps renewed leases',
    async run({ one, other, expire }, id) {
      const journal = await acquired(other, id);
      await expire();
      await other.renew();
      assert.equal(await one.acquire(id), undefined);
      await add(journal, 'a');
    },
  },
  {
    name: 'lets one of several owners take an expired lease over, and refuses the former owner for ever',
    async run({ one, other, expire }, id) {
      const former = await acquired(one, id);
      await add(former, 'a');
      assert.equal(await other.acquire(id), undefined);
      await expire();
      const tries = await Promise.all([other.acquire(id), other.acquire(id), other.acquire(id)]);
      const [next, ...more] = tries.filter((journal) => journal !== undefined);
      assert.ok(next && more.length === 0);
      for (let attempt = 0; attempt < 2; attempt++) await assert.rejects(async () => add(former, 'late'), LOST);
      await add(next, 'b');
      await assert.rejects(async () => add(former, 'later'), LOST);
      assert.deepEqual(await linesOf(other, id), ['a', 'b']);
      await former.release().catch(() => undefined);
      // The release of the former owner leaves the new lease alone.
      assert.equal(await one.acquire(id), undefined);
    },
  },
  {
    name: 'releases all executions of an owner at its end',
    async run({ one, other }, id) {
      const journal = await acquired(one, id);
      journal.append(Buffer.from('a\n'));
      await one[Symbol.asyncDispose]();
      await add(await acquired(other, id), 'b');
      assert.deepEqual(await linesOf(other, id), ['a', 'b']);
    },
  },
  {
    name: 'lists journals until they are removed',
    async run({ one, other }, id) {
      const another = randomUUID();
      for (const name of [id, another]) {
        const journal = await acquired(one, name);
        await add(journal, name);
        await journal.release();
      }
      await one.remove(id);
      const ids = await idsOf(other);
      assert.deepEqual([ids.has(id), ids.has(another), await linesOf(one, id)], [false, true, []]);
      await add(await acquired(one, id), 'new');
      assert.deepEqual(await linesOf(other, id), ['new']);
    },
  },
  {
    name: 'has no journal of a name that is not an id',
    async run({ one }) {
      for (const name of ['', '../a', 'a'.repeat(36)]) {
        assert.deepEqual([await one.acquire(name), await linesOf(one, name)], [undefined, []]);
        await one.remove(name);
      }
    },
  },
];
