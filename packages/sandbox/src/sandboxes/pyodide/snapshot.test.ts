import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  fstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, PassThrough } from 'node:stream';
import { beforeEach, expect, it, vi } from 'vitest';
import type { GuestCarrier } from '../guest-process.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';

const MEMORY = Buffer.from('the memory of an interpreter');
let cacheDir: string;
let made: number;

beforeEach(() => {
  cacheDir = mkdtempSync(join(tmpdir(), 'toolwright-snapshot-'));
  made = 0;
});

/** Returns a carrier that writes its snapshot and ends. */
function maker(content: Buffer = MEMORY, code = 0): () => GuestCarrier {
  return () => {
    made++;
    const readable = new PassThrough();
    readable.end(content);
    const stream = Duplex.from({ readable, writable: new PassThrough() });
    return { stream, kill: () => undefined, ended: Promise.resolve({ code, signal: null }) };
  };
}

/** Opens the snapshot, returns the content for guests, and closes it. */
async function contentOf(opening: Promise<Snapshot>): Promise<string> {
  const snapshot = await opening;
  try {
    const { size } = fstatSync(snapshot.descriptor);
    expect(size).toBe(32 + MEMORY.length);
    return readFileSync(snapshot.descriptor).subarray(32).toString();
  } finally {
    await snapshot.close();
  }
}

function onlyFile(): string {
  const names = readdirSync(cacheDir);
  expect(names).toHaveLength(1);
  expect(names[0]).toMatch(/^pyodide-[0-9a-f]{32}\.bin$/);
  return join(cacheDir, names[0] ?? '');
}

it('creates a snapshot once, and then opens the existing one', async () => {
  for (let round = 0; round < 3; round++) expect(await contentOf(openSnapshot(cacheDir, maker()))).toBe(`${MEMORY}`);
  expect(made).toBe(1);
  expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
});

it('creates its own folder below the cache folder of the user', async () => {
  vi.stubEnv('XDG_CACHE_HOME', join(cacheDir, 'cache'));
  await contentOf(openSnapshot(undefined, maker()));
  vi.unstubAllEnvs();
  expect(readdirSync(join(cacheDir, 'cache/toolwright'))).toHaveLength(1);
  expect(statSync(join(cacheDir, 'cache/toolwright')).mode & 0o777).toBe(0o700);
});

it.each<[string, (path: string) => void]>([
  ['cut short', (path) => truncateSync(path, 40)],
  ['empty', (path) => truncateSync(path, 0)],
  ['changed in one byte', (path) => writeFileSync(path, withByteChanged(readFileSync(path)))],
  ['something else, with a digest of something else', (path) => writeFileSync(path, Buffer.alloc(60))],
  ['open to others', (path) => chmodSync(path, 0o644)],
  [
    'a link',
    (path) => {
      renameSync(path, `${path}.moved`);
      symlinkSync(`${path}.moved`, path);
    },
  ],
])('creates it again when it is %s', async (_name, spoil) => {
  await contentOf(openSnapshot(cacheDir, maker()));
  spoil(onlyFile());
  expect(await contentOf(openSnapshot(cacheDir, maker()))).toBe(`${MEMORY}`);
  expect(made).toBe(2);
});

function withByteChanged(data: Buffer): Buffer {
  data[50] = (data[50] ?? 0) ^ 1;
  return data;
}

it('does not use a snapshot that another user owns', async () => {
  if (process.getuid?.() !== 0) return;
  await contentOf(openSnapshot(cacheDir, maker()));
  chownSync(onlyFile(), 65_534, 65_534);
  await contentOf(openSnapshot(cacheDir, maker()));
  expect(made).toBe(2);
  expect(statSync(onlyFile()).uid).toBe(0);
});

it('uses a private snapshot if others may write to the folder', async () => {
  chmodSync(cacheDir, 0o777);
  const digest = createHash('sha256').update('theirs').digest();
  writeFileSync(join(cacheDir, 'pyodide-theirs.bin'), Buffer.concat([digest, Buffer.from('theirs')]));
  expect(await contentOf(openSnapshot(cacheDir, maker()))).toBe(`${MEMORY}`);
  expect(readdirSync(cacheDir)).toEqual(['pyodide-theirs.bin']);
});

it('is created once for concurrent requests', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => contentOf(openSnapshot(cacheDir, maker()))));
  expect(new Set(all)).toEqual(new Set([`${MEMORY}`]));
  expect(made).toBe(1);
});

it('may be created by two processes at once', async () => {
  const opening = [1, 2, 3].map(async () => {
    vi.resetModules();
    const other: typeof import('./snapshot.ts') = await import('./snapshot.ts');
    return contentOf(other.openSnapshot(cacheDir, maker()));
  });
  expect(new Set(await Promise.all(opening))).toEqual(new Set([`${MEMORY}`]));
  onlyFile();
});

it.each([
  ['ends with an error', maker(MEMORY, 1), /ended with exit code 1/],
  ['writes nothing', maker(Buffer.alloc(0)), /ended with exit code 0/],
])('reports when the process that creates it %s, and leaves nothing behind', async (_name, start, message) => {
  await expect(openSnapshot(cacheDir, start)).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringMatching(message),
  });
  expect(readdirSync(cacheDir)).toEqual([]);
  expect(await contentOf(openSnapshot(cacheDir, maker()))).toBe(`${MEMORY}`);
});

it('removes snapshots of other versions that were not used for long', async () => {
  const [old, recent] = ['pyodide-old.bin', 'pyodide-recent.bin'].map((name) => join(cacheDir, name));
  for (const path of [old, recent]) writeFileSync(path ?? '', 'x');
  utimesSync(old ?? '', 0, 0);
  writeFileSync(join(cacheDir, 'notes.txt'), 'not ours');
  utimesSync(join(cacheDir, 'notes.txt'), 0, 0);
  await contentOf(openSnapshot(cacheDir, maker()));
  expect(readdirSync(cacheDir).sort().slice(0, 1)).toEqual(['notes.txt']);
  expect(readdirSync(cacheDir)).not.toContain('pyodide-old.bin');
  expect(readdirSync(cacheDir)).toContain('pyodide-recent.bin');
});
