import fs, { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToolwright } from '../../core/src/toolwright.ts';
import { createFlusher } from './durability.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-durability-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a flusher', () => {
  it('waits once for entries that were written before the wait', async () => {
    const ends: (() => void)[] = [];
    const { flushed } = createFlusher(0, () => new Promise((resolve) => void ends.push(resolve)));
    const first = flushed();
    // The first wait may have begun before these entries.
    const later = [flushed(), flushed(), flushed()];
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await first;
    await Promise.resolve();
    await new Promise(setImmediate);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await Promise.all(later);
    expect(ends).toHaveLength(2);
  });

  it('refuses everything after a failed wait: the next one may not notice', async () => {
    let waits = 0;
    const { flushed, check } = createFlusher(0, async () => {
      waits++;
      throw new Error('EIO: i/o error');
    });
    await expect(flushed()).rejects.toMatchObject({ code: 'JOURNAL_UNSAFE', message: expect.stringContaining('EIO') });
    await expect(flushed()).rejects.toMatchObject({ code: 'JOURNAL_UNSAFE' });
    expect(check).toThrow(expect.objectContaining({ code: 'JOURNAL_UNSAFE' }));
    expect(waits).toBe(1);
  });
});

describe('the journal of an execution', () => {
  /** Entries of the journals that the disk has, by path, and the functions that fail from now on. */
  const safe: string[] = [];
  let isBroken = false;
  const { fdatasync } = fs;
  beforeAll(() => {
    fs.fdatasync = ((file: number, done: (error: Error | null) => void) => {
      const text = readFileSync(`/proc/self/fd/${file}`, 'utf8');
      if (isBroken) return done(new Error('EIO: i/o error'));
      fdatasync(file, (error) => {
        safe.push(text);
        done(error);
      });
    }) as typeof fdatasync;
    syncBuiltinESMExports();
  });
  afterAll(() => {
    fs.fdatasync = fdatasync;
    syncBuiltinESMExports();
  });

  const entriesOnDisk = () => (safe.at(-1) ?? '').split('\n').map((line) => /"entry":"(\w+)"/.exec(line)?.[1]);

  it.skipIf(process.platform !== 'linux').each([
    ['fsync', ['call'], ['call', 'answer', 'end']],
    ['process', [], []],
  ] as const)('is on the disk before each effect and before the result: %s', async (durability, before, after) => {
    safe.length = 0;
    const seen: (string | undefined)[][] = [];
    const run = async () => void seen.push(entriesOnDisk());
    await using toolwright = await createToolwright({
      dataDir: mkdtempSync(join(folder, 'data-')),
      sandbox: 'quickjs',
      durability,
      tools: { bank: { tools: { pay: { description: 'Pays', inputSchema: { type: 'object' }, run } } } },
    });
    const result = await toolwright.execute(`await callMCPTool('bank__pay')`);
    expect(result.status).toBe('completed');
    expect(seen).toEqual([expect.arrayContaining([...before])]);
    expect(entriesOnDisk()).toEqual(expect.arrayContaining([...after]));
    if (durability === 'process') expect(safe).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('sends nothing once the disk has failed', async () => {
    let effects = 0;
    const run = async () => void effects++;
    const toolwright = await createToolwright({
      dataDir: mkdtempSync(join(folder, 'data-')),
      sandbox: 'quickjs',
      durability: 'fsync',
      tools: { bank: { tools: { pay: { description: 'Pays', inputSchema: { type: 'object' }, run } } } },
    });
    isBroken = true;
    await expect(toolwright.execute(`await callMCPTool('bank__pay')`)).rejects.toMatchObject({
      code: 'JOURNAL_UNSAFE',
    });
    isBroken = false;
    expect(effects).toBe(0);
    await toolwright.close();
  });
});
