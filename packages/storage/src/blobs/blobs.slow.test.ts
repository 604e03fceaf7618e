import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { usedBufferBytes } from '../../../../test/fixtures/garbage.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../test/fixtures/postgres.ts';
import { startS3, type TestS3 } from '../../../../test/fixtures/s3.ts';
import { blobStoreCases, runBlobStoreCase } from '../../../../test/suites/blobs.ts';
import type { BlobStore } from './blob.ts';
import { folderBlobs } from './folder.ts';
import { openBlobs } from './open.ts';
import { postgresBlobs } from './postgres.ts';
import { s3Blobs } from './s3.ts';

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const MEGABYTE = 1024 * 1024;
const STREAMED_BYTES = 80 * MEGABYTE;
/** Some pieces of each store, and copies of them in its client. */
const MOST_BUFFERED_BYTES = 60 * MEGABYTE;

/** Writes and reads a large content, and returns the most bytes in memory meanwhile. */
async function streamed(store: BlobStore): Promise<number> {
  const before = usedBufferBytes();
  let most = 0;
  const measure = (at: number) => {
    if (at % (8 * MEGABYTE) === 0) most = Math.max(most, usedBufferBytes() - before);
  };
  const source = async function* () {
    for (let at = 0; at < STREAMED_BYTES; at += MEGABYTE) {
      yield Buffer.alloc(MEGABYTE, at / MEGABYTE);
      measure(at);
    }
  };
  await store.put('streamed', source());
  let bytes = 0;
  for await (const part of (await store.get('streamed'))?.content ?? []) {
    bytes += part.length;
    measure(bytes);
  }
  expect(bytes).toBe(STREAMED_BYTES);
  await store.delete(['streamed']);
  await store[Symbol.asyncDispose]();
  return most;
}

const refusalOf = (store: BlobStore) =>
  store.put('a', once('x')).then(
    () => 'no error',
    ({ code, message }) => `${code}: ${message}`,
  );

/** Starts a server on this machine that answers every request with a status. */
async function startServer(status: number, location = '') {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    response.writeHead(status, { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${Object(server.address()).port}`;
  return { origin, requests: () => requests, close: () => server.close() };
}

describe('folder', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'blobs-')), 'blobs');
  it.for(blobStoreCases)('$name', (testCase) => runBlobStoreCase(() => folderBlobs({ path }), testCase));

  it('does not keep a large content in memory', async () => {
    expect(await streamed(folderBlobs({ path }))).toBeLessThan(MOST_BUFFERED_BYTES);
  });

  it('has files for this user only, and leaves no draft or empty folder', async () => {
    const own = join(path, '../own');
    const store = openBlobs('folder', own);
    await store.put('a/b/c', once('x'));
    const modes = ['blobs', 'blobs/a+/b+', 'blobs/a+/b+/c'].map((name) =>
      (statSync(join(own, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['700', '700', '600']);
    expect(readdirSync(join(own, 'blobs/a+/b+'))).toEqual(['c']);
    await store.delete(['a/b/c']);
    expect(readdirSync(join(own, 'blobs'))).toEqual([]);
  });

  it('refuses a folder that cannot be written to, with the fix', async () => {
    const file = join(path, '../file');
    writeFileSync(file, '');
    expect(await refusalOf(folderBlobs({ path: file }))).toMatch(
      /^STORE_UNAVAILABLE: The folder of blobs .+ failed: .+ Make it writable for this user\.$/,
    );
  });
});

needsPostgres.describe('postgres', () => {
  let postgres: TestPostgres;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.create();
  });
  afterAll(() => postgres?.stop());

  it.for(blobStoreCases)('$name', (testCase) => runBlobStoreCase(() => postgresBlobs({ url }), testCase));

  it('does not keep a large content in memory', async () => {
    expect(await streamed(postgresBlobs({ url }))).toBeLessThan(MOST_BUFFERED_BYTES);
  });

  it('removes replaced contents and uploads that did not finish', async () => {
    const own = await postgres.create();
    await using store = openBlobs(own, '/none');
    await store.put('a', once('old'));
    await store.put('a', once('new'));
    await store.put('b', once('removed'));
    await store.delete(['b']);
    const failing = async function* () {
      yield Buffer.alloc(2 * 1024 * 1024);
      throw new Error('the source failed');
    };
    await expect(store.put('c', failing())).rejects.toThrow('the source failed');
    const counts = 'select (select count(*) from toolwright.contents), (select count(*) from toolwright.chunks)';
    expect(postgres.sql(own, counts)).toBe('4|5');
    postgres.sql(own, `update toolwright.contents set removable_at = removable_at - interval '2 days'`);
    postgres.sql(own, 'select toolwright.purge_contents(100)');
    expect(postgres.sql(own, counts)).toBe('1|1');
  });
});

/** The server of the test changes the file of an object while others read or write it. S3 does not. */
const NOT_ATOMIC: ReadonlySet<string> = new Set([
  'replaces a content as a whole, and keeps the old one for its readers',
  'keeps one of several contents that are written at once',
]);

describe('s3', () => {
  const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  let server: TestS3;
  let endpoint: string;
  beforeAll(async () => {
    server = await startS3();
    endpoint = server.endpoint;
  });
  afterAll(() => server?.stop());

  it.for(blobStoreCases.filter(({ name }) => !NOT_ATOMIC.has(name)))('$name', (testCase) =>
    runBlobStoreCase(() => s3Blobs({ bucket: 'files', endpoint, ...keys }), testCase),
  );

  it('does not keep a large content in memory', async () => {
    expect(await streamed(s3Blobs({ bucket: 'files', endpoint, ...keys }))).toBeLessThan(MOST_BUFFERED_BYTES);
  });

  it('keeps stores with different prefixes apart, also by a URL', async () => {
    const environment = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
    const open = (prefix: string) =>
      openBlobs(`s3://files/${prefix}?endpoint=${endpoint}&region=eu-central-1`, '/none', environment);
    const [one, two] = [open('one'), open('two/2')];
    await one.put('a', once('1'));
    expect(await two.get('a')).toBeUndefined();
    await two.put('a', once('2'));
    const found: unknown[] = [];
    for await (const page of two.list('')) found.push(...page);
    expect(found).toEqual([{ key: 'a', bytes: 1 }]);
    expect(existsSync(join(server.directory, 'files/two'))).toBe(true);
  });

  it('names a missing bucket and an unreachable server, with the fix and without the secret', async () => {
    const secret = { accessKeyId: 'a', secretAccessKey: 'very-secret' };
    const missing = await refusalOf(s3Blobs({ bucket: 'none', endpoint, ...keys }));
    expect(missing).toBe(
      `STORE_UNAVAILABLE: The bucket none at ${new URL(endpoint).host} failed: status 404 NoSuchBucket. Create the bucket.`,
    );
    const down = await refusalOf(s3Blobs({ bucket: 'files', endpoint: 'http://127.0.0.1:1', ...secret }));
    expect(down).toMatch(/^STORE_UNAVAILABLE: The bucket files at 127\.0\.0\.1:1 failed: .+ Check that it runs/);
    expect(down).not.toContain('very-secret');
  });

  it('sends a signed hash of the content, and repeats a request after an error that passes', async () => {
    const seen: string[] = [];
    const fake = createServer((request, response) => {
      const { authorization = '', 'x-amz-content-sha256': hash } = request.headers;
      seen.push(`${request.method} ${hash?.slice(0, 8)} ${/SignedHeaders=([\w;-]+)/.exec(authorization)?.[1]}`);
      request.resume().on('end', () => response.writeHead(seen.length < 3 ? 503 : 200).end());
    });
    await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
    const address = fake.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const store = s3Blobs({ bucket: 'files', endpoint: `http://127.0.0.1:${port}`, ...keys });
    expect(await store.put('a', once('abc'))).toBe(3);
    expect(seen).toEqual(Array(3).fill('PUT ba7816bf host;x-amz-content-sha256;x-amz-date'));
    fake.close();
  });

  it('follows no redirect, which would take the session token along', async () => {
    const reached = await startServer(200);
    const redirecting = await startServer(307, `${reached.origin}/x`);
    const token = { ...keys, sessionToken: 'session-token' };
    const refusal = await refusalOf(s3Blobs({ bucket: 'files', endpoint: redirecting.origin, ...token }));
    expect(refusal).toMatch(/^STORE_UNAVAILABLE: .*status 307/);
    expect([reached.requests(), redirecting.requests()]).toEqual([0, 1]);
    for (const { close } of [reached, redirecting]) close();
  });
});

test('refuses a place that is unknown, and a bucket without keys', () => {
  const refusal = (name: string) => {
    try {
      openBlobs(name, '/none', {});
    } catch (error) {
      return String(error);
    }
    return 'no error';
  };
  expect(refusal('ftp://host')).toContain(
    'Unknown place of blobs "ftp://host". Use folder, s3://bucket/prefix, or postgres://',
  );
  expect(refusal('s3://files')).toContain('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
});
