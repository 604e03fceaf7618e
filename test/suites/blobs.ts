import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { brokenRule } from '../../packages/conformance/src/broken-rule.ts';
import { type BlobStore, PAGE_BLOBS } from '../../packages/storage/src/blobs/blob.ts';

/** The arguments of a case. */
export interface BlobStoreRun {
  readonly store: BlobStore;
  /** A second handle on the same blobs. */
  readonly other: BlobStore;
  /** The start of all keys of this run. */
  readonly prefix: string;
}

/** One rule that every store of blobs must keep. */
export interface BlobStoreCase {
  readonly name: string;
  /** Rejects with an `AssertionError` when the store breaks the rule. */
  run(run: BlobStoreRun): Promise<void>;
}

/** Runs one case on two handles of the same blobs. Rejects with an `AssertionError` that names the broken rule. */
export async function runBlobStoreCase(open: () => BlobStore, testCase: BlobStoreCase): Promise<void> {
  const [store, other] = [open(), open()];
  const prefix = `conformance/${randomUUID()}/`;
  try {
    await testCase.run({ store, other, prefix });
  } catch (error) {
    throw brokenRule('store of blobs', testCase.name, error);
  } finally {
    await store[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  }
}

const MEGABYTE = 1024 * 1024;
/** More than one part of any store, and no multiple of a part. */
const LARGE_BYTES = 33 * MEGABYTE + 7;

async function* once(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** Yields different bytes, and uses the same memory for each part. */
async function* large(): AsyncGenerator<Uint8Array> {
  const part = Buffer.alloc(64 * 1024);
  for (let sent = 0; sent < LARGE_BYTES; sent += part.length) {
    part.fill(sent / part.length);
    yield part.subarray(0, Math.min(part.length, LARGE_BYTES - sent));
  }
}

async function hashOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of content) hash.update(part);
  return hash.digest('hex');
}

async function textOf(store: BlobStore, key: string): Promise<string | undefined> {
  const blob = await store.get(key);
  if (!blob) return undefined;
  const parts: Uint8Array[] = [];
  for await (const part of blob.content) parts.push(part);
  const all = Buffer.concat(parts);
  assert.equal(all.length, blob.bytes);
  return all.toString();
}

async function listed(store: BlobStore, prefix: string): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for await (const page of store.list(prefix))
    found.push(...page.map(({ key, bytes }): [string, number] => [key, bytes]));
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The rules that every store of blobs must keep, in the order in which they run. */
export const blobStoreCases: readonly BlobStoreCase[] = [
  {
    name: 'returns written contents, also empty ones, and undefined for missing ones',
    async run({ store, other, prefix }) {
      assert.equal(await textOf(store, `${prefix}a`), undefined);
      assert.equal(await store.put(`${prefix}a`, once('one ', '', 'snow ☃')), 12);
      assert.equal(await store.put(`${prefix}empty`, once()), 0);
      assert.deepEqual([await textOf(other, `${prefix}a`), await textOf(other, `${prefix}empty`)], ['one snow ☃', '']);
    },
  },
  {
    name: 'returns a large content unchanged, whose source uses its memory again',
    async run({ store, other, prefix }) {
      assert.equal(await store.put(`${prefix}large`, large()), LARGE_BYTES);
      const blob = await other.get(`${prefix}large`);
      assert.ok(blob?.bytes === LARGE_BYTES);
      assert.equal(await hashOf(blob.content), await hashOf(large()));
    },
  },
  {
    name: 'replaces a content as a whole, and keeps the old one for its readers',
    async run({ store, other, prefix }) {
      const key = `${prefix}a`;
      await store.put(key, once('x'.repeat(3 * MEGABYTE)));
      const old = await other.get(key);
      const reader = old?.content[Symbol.asyncIterator]();
      const first = await reader?.next();
      await store.put(key, once('new'));
      let bytes = first?.value?.length ?? 0;
      for (let part = await reader?.next(); part && !part.done; part = await reader?.next()) bytes += part.value.length;
      assert.deepEqual([bytes, await textOf(other, key)], [3 * MEGABYTE, 'new']);
    },
  },
  {
    name: 'keeps the old content when the new one fails, small or large',
    async run({ store, prefix }) {
      const key = `${prefix}a`;
      await store.put(key, once('old'));
      for (const start of [once('begin'), large()]) {
        const failing = async function* () {
          yield* start;
          throw new Error('the source failed');
        };
        await assert.rejects(store.put(key, failing()), { message: 'the source failed' });
      }
      assert.deepEqual([await textOf(store, key), await listed(store, prefix)], ['old', [[key, 3]]]);
    },
  },
  {
    name: 'keeps one of several contents that are written at once',
    async run({ store, other, prefix }) {
      const texts = Array.from({ length: 12 }, (_, index) => String(index).repeat(index + 1));
      await Promise.all(
        texts.map((text, index) => (index % 2 === 0 ? store : other).put(`${prefix}deep/a`, once(text))),
      );
      assert.ok(texts.includes((await textOf(store, `${prefix}deep/a`)) ?? ''));
    },
  },
  {
    name: 'lists by prefix and removes, also keys that are the start of others',
    async run({ store, other, prefix }) {
      for (const key of ['a', 'a/b', 'a/b/c', 'a.b', 'ab', 'b/_-.x']) await store.put(prefix + key, once(key));
      const names = async (start: string) =>
        (await listed(other, prefix + start)).map(([key]) => key.slice(prefix.length));
      assert.deepEqual(await names(''), ['a', 'a.b', 'a/b', 'a/b/c', 'ab', 'b/_-.x']);
      assert.deepEqual(
        [await names('a/'), await names('a/b'), await names('c')],
        [['a/b', 'a/b/c'], ['a/b', 'a/b/c'], []],
      );
      await store.delete([`${prefix}a`, `${prefix}a/b/c`, `${prefix}none`]);
      await store.delete([]);
      assert.deepEqual(await names(''), ['a.b', 'a/b', 'ab', 'b/_-.x']);
      assert.equal(await textOf(other, `${prefix}a`), undefined);
    },
  },
  {
    name: `lists more than ${PAGE_BLOBS} blobs`,
    async run({ store, prefix }) {
      const keys = Array.from({ length: PAGE_BLOBS + 5 }, (_, index) => `${prefix}${index}`);
      for (let at = 0; at < keys.length; at += 50)
        await Promise.all(keys.slice(at, at + 50).map((key) => store.put(key, once('x'))));
      assert.equal((await listed(store, prefix)).length, keys.length);
      await store.delete(keys);
      assert.deepEqual(await listed(store, prefix), []);
    },
  },
  {
    name: 'rejects keys that are no paths of simple names',
    async run({ store, prefix }) {
      for (const key of [
        '',
        '/a',
        'a/',
        'a//b',
        '../a',
        `${prefix}../a`,
        'a/.b',
        'a b',
        'ä',
        'a\\b',
        'x'.repeat(513),
      ]) {
        await assert.rejects(async () => store.put(key, once('x')), { code: 'CONFIG_INVALID' });
        await assert.rejects(async () => store.get(key), { code: 'CONFIG_INVALID' });
        await assert.rejects(async () => store.delete([key]), { code: 'CONFIG_INVALID' });
      }
    },
  },
  {
    name: 'rejects calls after closing with CLOSED',
    async run({ other, prefix }) {
      await other.put(`${prefix}a`, once('x'));
      await other[Symbol.asyncDispose]();
      await assert.rejects(async () => other.get(`${prefix}a`), { code: 'CLOSED' });
      await assert.rejects(async () => other.put(`${prefix}a`, once('x')), { code: 'CLOSED' });
    },
  },
];
