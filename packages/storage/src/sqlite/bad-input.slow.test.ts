import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { mountSmallDisk, needsMounts } from '../../../../test/fixtures/small-disk.ts';
import { openSqlite } from './database.ts';

const MEGABYTE = 1024 * 1024;
const ADD = 'insert into toolwright.task_lines (task, number, line) values ($1, $2, $3)';
const COUNT = 'select count(*) as n from toolwright.task_lines';

describe('the tables of a data folder', () => {
  needsMounts.it('on a full disk refuse writes with the fix, answer reads, and lose nothing', async () => {
    using disk = mountSmallDisk(8);
    const filler = join(disk.folder, 'filler');
    writeFileSync(filler, Buffer.alloc(2 * MEGABYTE));
    await using database = openSqlite(join(disk.folder, 'state.db'));
    let acknowledged = 0;
    const add = () => database.write(ADD, ['a', acknowledged, randomBytes(MEGABYTE / 4).toString('hex')]);
    const failure = await failureOf(
      (async () => {
        for (; acknowledged < 100; acknowledged++) await add();
      })(),
    );
    expect(failure).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/^The disk of the SQLite store .+state\.db is full .+ Free space or inodes there/),
      details: { errno: 'ENOSPC' },
    });
    expect(Number((await database.read(COUNT))[0]?.n)).toBe(acknowledged);
    rmSync(filler);
    await add();
    expect(Number((await database.read(COUNT))[0]?.n)).toBe(acknowledged + 1);
  });

  needsMounts.it('on a disk that is read-only are refused with the fix', async () => {
    using disk = mountSmallDisk(8);
    await using first = openSqlite(join(disk.folder, 'state.db'));
    await first.write(ADD, ['a', 1, 'line']);
    await first[Symbol.asyncDispose]();
    await using database = openSqlite(join(disk.readOnly(), 'state.db'));
    const failure = await failureOf(database.write(ADD, ['a', 2, 'line']));
    expect(failure).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/read-only|readonly/i),
    });
    expect(failure.message).toMatch(/Make .+state\.db and its folder writable\./);
  });
});
