import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { usedBufferBytes } from '../../../../../test/fixtures/garbage.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../../test/fixtures/postgres.ts';
import { startS3, type TestS3 } from '../../../../../test/fixtures/s3.ts';
import { failureOf, until } from '../../../../../test/fixtures/server.ts';
import type { BlobStore } from '../../../../storage/src/blobs/blob.ts';
import { folderBlobs } from '../../../../storage/src/blobs/folder.ts';
import { postgresBlobs } from '../../../../storage/src/blobs/postgres.ts';
import { s3Blobs } from '../../../../storage/src/blobs/s3.ts';
import { openPostgres } from '../../../../storage/src/postgres/connection.ts';
import type { FolderUseOptions } from './folder-use.ts';
import { openVersionedFolders, type VersionedFolders, type VersionedFoldersOptions } from './folders.ts';

needsPostgres.describe('versioned folders', () => {
  let postgres: TestPostgres;
  let s3: TestS3;
  let url: string;
  beforeAll(async () => {
    [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
    url = await postgres.create();
  });
  afterAll(() => Promise.all([postgres?.stop(), s3?.stop()]));

  const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const places: Readonly<Record<string, () => BlobStore>> = {
    folder: () => folderBlobs({ path: join(temporaryFolder(), 'blobs') }),
    postgres: () => postgresBlobs({ url }),
    s3: () => s3Blobs({ bucket: s3.bucket, endpoint: s3.endpoint, ...keys }),
  };
  let names = 0;
  /** A new folder, as several processes see it. */
  const openProcesses = (place = 'postgres', options: Partial<VersionedFoldersOptions> = {}) => {
    const blobs = places[place]?.() ?? postgresBlobs({ url });
    const name = `customer/${place}${names++}`;
    const opened: VersionedFolders[] = [];
    onTestFinished(async () => {
      for (const each of opened) await each[Symbol.asyncDispose]();
      await blobs[Symbol.asyncDispose]();
    });
    const process = (more: Partial<VersionedFoldersOptions> = {}) => {
      const database = openPostgres({ url });
      const dataDir = temporaryFolder();
      const logger = { warn: () => undefined };
      const folders = openVersionedFolders({ database, blobs, dataDir, logger, ...options, ...more });
      opened.push({
        ...folders,
        [Symbol.asyncDispose]: () => folders[Symbol.asyncDispose]().then(() => database[Symbol.asyncDispose]()),
      });
      const at = folders.place(name);
      const use = (useOptions: Partial<FolderUseOptions> = {}) => folders.use(at, { right: 'first', ...useOptions });
      const change = async (work: (root: string) => unknown, useOptions: Partial<FolderUseOptions> = {}) => {
        const own = use(useOptions);
        await own.change(async () => work(at.root));
        await own.end();
      };
      return { folders, root: at.root, use, change };
    };
    return { name, blobs, process };
  };
  const treeOf = (root: string) =>
    Object.fromEntries(
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((path) => {
          const stats = lstatSync(join(root, path));
          const mode = (stats.mode & 0o777).toString(8);
          if (stats.isSymbolicLink()) return [path, `-> ${readlinkSync(join(root, path))}`];
          if (stats.isDirectory()) return [path, `folder ${mode}`];
          const text = readFileSync(join(root, path), 'latin1');
          return [path, `${mode} ${Math.floor(stats.mtimeMs)} ${text.length} ${text.slice(0, 20)}`];
        }),
    );

  describe.each(Object.keys(places))('with blobs in %s', (place) => {
    it('have the same files in all processes: links, odd names, modes, times, empty files, removed files and renamed folders', async () => {
      const { process } = openProcesses(place);
      const [one, other] = [process(), process()];
      await one.change((root) => {
        mkdirSync(join(root, 'a/b c/ü\u{1F600}'), { recursive: true });
        for (const [path, text] of Object.entries({
          'a/empty': '',
          'a/-rf *"\'\n\t': 'odd',
          'a/b c/ü\u{1F600}/x': 'deep',
          'a/same': 'deep',
          '.hidden': 'h',
          large: 'L'.repeat(700_000),
        }))
          writeFileSync(join(root, path), text);
        chmodSync(join(root, 'a/same'), 0o755);
        chmodSync(join(root, 'a/empty'), 0o400);
        utimesSync(join(root, 'large'), 1_700_000_000.123, 1_700_000_000.123);
        symlinkSync('/etc/hostname', join(root, 'a/link'));
        symlinkSync('missing', join(root, 'broken'));
      });
      const read = async ({ use, root }: typeof one) => {
        const own = use();
        const tree = await own.read(async () => treeOf(root));
        await own.end();
        return tree;
      };
      const before = treeOf(one.root);
      expect(Object.keys(before)).toHaveLength(11);
      expect(await read(other)).toEqual(before);
      await other.change((root) => {
        renameSync(join(root, 'a'), join(root, 'z'));
        rmSync(join(root, 'large'));
        rmSync(join(root, 'broken'));
        mkdirSync(join(root, 'broken'));
        writeFileSync(join(root, 'broken/now a folder'), 'f');
        chmodSync(join(root, 'z/same'), 0o600);
      });
      const after = treeOf(other.root);
      expect(await read(one)).toEqual(after);
      expect(Object.keys(after)).toEqual(expect.arrayContaining(['z/b c/ü\u{1F600}/x', 'broken/now a folder']));
      await one.change((root) => rmSync(join(root, 'z'), { recursive: true }));
      expect(await read(other)).toEqual(treeOf(one.root));
    });

    it('are read without a copy, and only when they are committed', async () => {
      const { name, process } = openProcesses(place);
      const [one, other] = [process(), process()];
      const view = other.folders.files(name);
      expect(await view.list('/workspace', true)).toEqual([]);
      const use = one.use();
      await use.change(() => writeFile(join(one.root, 'a.txt'), 'text'));
      await use.change(async () => mkdirSync(join(one.root, 'sub')));
      await use.change(() => writeFile(join(one.root, 'sub/b'), Buffer.alloc(2_500_000, 'b')));
      expect(await view.list('/workspace', true)).toEqual([]);
      await use.end();
      const all = (await view.list('/workspace', true)).map(({ name: path, kind, size }) => `${path} ${kind} ${size}`);
      expect(all).toEqual(['a.txt file 4', 'sub directory 0', 'sub/b file 2500000']);
      expect((await view.list('/workspace', false)).map((entry) => entry.name)).toEqual(['a.txt', 'sub']);
      expect((await view.read('/workspace/a.txt', 10)).toString()).toBe('text');
      expect((await view.read('/workspace/sub/b', 3_000_000)).equals(Buffer.alloc(2_500_000, 'b'))).toBe(true);
      expect(await failureOf(view.read('/workspace/a.txt', 3))).toMatchObject({ details: { errno: 'EFBIG' } });
      expect(await failureOf(view.read('/workspace/sub', 3))).toMatchObject({ details: { errno: 'EISDIR' } });
      expect(await failureOf(view.read('/workspace/c', 3))).toMatchObject({ details: { errno: 'ENOENT' } });
      expect(await failureOf(view.list('/workspace/c', true))).toMatchObject({ details: { errno: 'ENOENT' } });
      expect(await failureOf(view.read('/other/c', 3))).toMatchObject({ details: { errno: 'EACCES' } });
      expect(existsSync(other.root)).toBe(false);
    });
  });

  it.each(['postgres', 's3'])('move 100 MB to another process with bounded memory, with blobs in %s', async (place) => {
    const { process } = openProcesses(place);
    const [one, other] = [process(), process()];
    await one.change((root) => {
      writeFileSync(join(root, 'large'), randomBytes(60_000_000));
      for (let index = 0; index < 2_000; index++) {
        mkdirSync(join(root, `d${index % 40}`), { recursive: true });
        writeFileSync(join(root, `d${index % 40}/f${index}`), randomBytes(20_000));
      }
    });
    const before = usedBufferBytes();
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, usedBufferBytes() - before);
    }, 300);
    const use = other.use();
    await use.read(async () => clearInterval(timer));
    await use.end();
    expect(most).toBeLessThan(100_000_000);
    const hashes = ({ root }: typeof one) =>
      ['large', 'd7/f7', 'd39/f1999'].map((path) =>
        createHash('sha256')
          .update(readFileSync(join(root, path)))
          .digest('hex'),
      );
    expect(hashes(other)).toEqual(hashes(one));
  });

  it('send and fetch changed contents only, and store equal files once', async () => {
    const sent: string[] = [];
    const fetched: string[] = [];
    const { process, blobs } = openProcesses();
    const counted: BlobStore = {
      ...blobs,
      put(key, content) {
        sent.push(key);
        return blobs.put(key, content);
      },
      get(key) {
        fetched.push(key);
        return blobs.get(key);
      },
    };
    const [one, other] = [process({ blobs: counted }), process({ blobs: counted })];
    await one.change((root) => {
      for (let index = 0; index < 300; index++) writeFileSync(join(root, `small${index}`), `small ${index}`);
      for (const name of ['large', 'copy']) writeFileSync(join(root, name), Buffer.alloc(400_000, 'L'));
    });
    expect(sent).toHaveLength(2);
    await other.change((root) => writeFileSync(join(root, 'new'), 'n'));
    expect([sent.length, fetched.length]).toEqual([3, 2]);
    await one.change((root) => rmSync(join(root, 'copy')));
    expect([sent.length, fetched.length]).toEqual([3, 3]);
  });

  it('have one writer at a time, which all uses of a process share; others wait', async () => {
    const { process } = openProcesses();
    const [one, other] = [process(), process()];
    const [first, second] = [one.use(), one.use()];
    await first.change(() => appendFile(join(one.root, 'log'), '1'));
    await second.change(() => appendFile(join(one.root, 'log'), '2'));
    let waited = 0;
    const third = other.use();
    const waiting = third.change(async () => {
      waited = readFileSync(join(other.root, 'log'), 'utf8').length;
      await appendFile(join(other.root, 'log'), '3');
    });
    await first.end();
    await sleep(400);
    expect(waited).toBe(0);
    await second.change(() => appendFile(join(one.root, 'log'), '2'));
    await second.end();
    await waiting;
    await third.end();
    await one.change((root) => appendFile(join(root, 'log'), '4'));
    expect([waited, readFileSync(join(one.root, 'log'), 'utf8')]).toEqual([3, '12234']);
  });

  it('are handed over by a long-running writer when others wait, and it goes on after them', async () => {
    const { process } = openProcesses();
    const [one, other] = [process(), process()];
    const long = one.use();
    await long.change(() => appendFile(join(one.root, 'log'), 'a'));
    await other.change((root) => appendFile(join(root, 'log'), 'b'));
    await long.change(() => appendFile(join(one.root, 'log'), 'c'));
    await long.end();
    await other.change((root) => appendFile(join(root, 'log'), 'd'));
    expect(readFileSync(join(other.root, 'log'), 'utf8')).toBe('abcd');
  });

  it('fence a writer that lost its right: it fails, nothing of it is committed, and the next one goes on', async () => {
    const { name, process } = openProcesses();
    const [one, other] = [process(), process()];
    await one.change((root) => writeFile(join(root, 'a'), 'old'));
    const [use, reader] = [one.use(), one.use()];
    await reader.read(async () => undefined);
    await use.change(() => writeFile(join(one.root, 'a'), 'lost'));
    // As if the process had been paused.
    postgres.sql(url, `update toolwright.folders set expires_at = now() - interval '1 s' where name = '${name}'`);
    await other.change((root) => appendFile(join(root, 'a'), '+new'));
    expect(await failureOf(use.end())).toMatchObject({
      code: 'WORKSPACE_LOST',
      message: expect.stringContaining('5 seconds'),
    });
    expect(await failureOf(reader.read(async () => undefined))).toMatchObject({ code: 'WORKSPACE_LOST' });
    await reader.end().catch(() => undefined);
    await one.change((root) => appendFile(join(root, 'a'), '+more'));
    expect(readFileSync(join(one.root, 'a'), 'utf8')).toBe('old+new+more');
  });

  it('notice a lost right within seconds, although the program makes no operation', async () => {
    const { name, process } = openProcesses();
    const one = process();
    const use = one.use();
    await use.change(() => writeFile(join(one.root, 'a'), 'lost'));
    postgres.sql(
      url,
      `update toolwright.folders set fence = fence + 1, owner = gen_random_uuid() where name = '${name}'`,
    );
    await until(() => use.read(async () => false).catch(({ code }) => code === 'WORKSPACE_LOST'));
  });

  it('keep the old version when the blob store fails in the middle of a commit', async () => {
    const { name, process, blobs } = openProcesses('postgres', { retryMs: 300 });
    let isDown = false;
    const failing: BlobStore = {
      ...blobs,
      put: (key, content) =>
        isDown && key.length > 0 && Math.random() < 0.9
          ? Promise.reject(new Error('the storage is down'))
          : blobs.put(key, content),
    };
    const [one, other] = [process({ blobs: failing }), process()];
    await one.change((root) => writeFile(join(root, 'a'), 'old'));
    isDown = true;
    const use = one.use();
    await use.change(async () => {
      for (let index = 0; index < 40; index++) writeFileSync(join(one.root, `f${index}`), Buffer.alloc(300_000, index));
    });
    expect(await failureOf(use.end())).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    isDown = false;
    const view = other.folders.files(name);
    expect((await view.list('/workspace', true)).map((entry) => entry.name)).toEqual(['a']);
    await one.change((root) => appendFile(join(root, 'a'), '+'));
    expect([readdirSync(one.root), readFileSync(join(one.root, 'a'), 'utf8')]).toEqual([['a'], 'old+']);
  });

  it('wait for a database that restarts during a commit', async () => {
    const { process } = openProcesses();
    const [one, other] = [process(), process()];
    const use = one.use();
    await use.change(() => writeFile(join(one.root, 'a'), 'kept'));
    await postgres.kill();
    const ended = use.end();
    await postgres.restart();
    await ended;
    await other.change(() => undefined);
    expect(readFileSync(join(other.root, 'a'), 'utf8')).toBe('kept');
  });

  it('commit the changes of a long-running program now and then', async () => {
    const { name, process } = openProcesses();
    const [one, other] = [process(), process()];
    const use = one.use();
    await use.change(() => writeFile(join(one.root, 'a'), '1'));
    const view = other.folders.files(name);
    await until(async () => (await view.list('/workspace', true)).length > 0);
    await use.change(() => writeFile(join(one.root, 'b'), '1'));
    await use.discard();
    await other.change(() => undefined);
    expect(readdirSync(other.root)).toEqual(['a']);
  });

  it('know the requests of an execution that a version has, so that the others can be repeated', async () => {
    const { process } = openProcesses();
    const [one, other] = [process(), process()];
    const { inRequest } = await import('./folder-use.ts');
    const begun = one.use({ execution: 'e' });
    await inRequest(7, () => begun.change(() => writeFile(join(one.root, 'a'), '1')));
    await begun.end();
    const lost = one.use({ execution: 'e' });
    await inRequest(9, () => lost.change(() => writeFile(join(one.root, 'b'), '1')));
    await lost.discard();
    const next = other.use({ execution: 'e' });
    expect([await next.isApplied(7), await next.isApplied(9)]).toEqual([true, false]);
    await next.end();
  });

  it('collect blobs that no version names, later, and never one that is named', async () => {
    const { name, process } = openProcesses('s3', { unusedMs: 3_600_000 });
    const one = process();
    await one.change((root) => writeFile(join(root, 'a'), Buffer.alloc(300_000, 'a')));
    await one.change((root) => writeFile(join(root, 'a'), Buffer.alloc(300_000, 'b')));
    const id = postgres.sql(url, `select id from toolwright.folders where name = '${name}'`);
    const stored = () =>
      readdirSync(join(s3.directory, s3.bucket, 'folders', id)).filter((file) => file.endsWith('_object'));
    expect(stored()).toHaveLength(2);
    expect(await one.folders.collect()).toBe(0);
    expect(stored()).toHaveLength(2);
    postgres.sql(
      url,
      `update toolwright.folder_blobs set unused_at = unused_at - interval '2 hours' where folder = '${id}'`,
    );
    expect(await one.folders.collect()).toBe(1);
    expect(stored()).toHaveLength(1);
    expect((await process().folders.files(name).read('/workspace/a', 300_000)).toString('utf8', 0, 1)).toBe('b');
    await one.folders.rows.remove(name);
    postgres.sql(
      url,
      `update toolwright.folder_blobs set unused_at = unused_at - interval '2 hours' where folder = '${id}'`,
    );
    expect(await one.folders.collect()).toBe(1);
    expect(postgres.sql(url, `select count(*) from toolwright.folder_blobs where folder = '${id}'`)).toBe('0');
  });
});
