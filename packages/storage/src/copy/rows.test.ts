import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { openSqlite } from '../sqlite/database.ts';
import { type CopiedPart, type CopiedTable, copyRows, tablePart } from './rows.ts';

const SESSIONS: CopiedTable = {
  name: 'sessions',
  columns: { id: 'text', user_name: 'text', customer: 'text', created_at: 'time', last_used_at: 'time' },
  order: 'id',
};
const LOG = tablePart({ name: 'session_log', columns: { session: 'text', entry: 'text' }, order: 'number' });
const OLD_ROW = `insert into toolwright.sessions (id, user_name, created_at, last_used_at) values ($1, $2, 1, 1)`;
const OLD_ENTRY = 'insert into toolwright.session_log (session, entry) values ($1, $2)';

const open = () => openSqlite(join(temporaryFolder(), 'state.db'));

/** Opens tables with sessions, each of which has two entries. */
async function filled(count: number) {
  const database = open();
  await database.transaction(async (query) => {
    for (let number = 1; number <= count; number++) {
      const id = `s${String(number).padStart(4, '0')}`;
      const values = [id, `"ada ☃ ${number}"`, number % 2 === 0 ? '"acme"' : null, 1.4 + number, 1e12 + number / 3];
      await query('insert into toolwright.sessions values ($1, $2, $3, $4, $5)', values);
      for (const entry of ['b', 'a']) await query(OLD_ENTRY, [id, `"${entry} ${number}"`]);
    }
  });
  return database;
}

/** Returns a part with another way to add. */
function partOf(add: CopiedPart['add']): CopiedPart {
  return { ...LOG, add };
}

test('copies rows with their parts, in pages, and returns the same numbers for a copy of the copy', async () => {
  await using from = await filled(250);
  await using to = open();
  await using last = open();
  const parts = [[LOG, LOG]] as const;
  const counts: number[] = [];
  const copied = await copyRows({ from, to, table: SESSIONS, parts, onCopied: (count) => counts.push(count) });
  expect([copied.sessions?.rows, copied.session_log?.rows, counts]).toEqual([250, 500, [100, 200, 250]]);
  expect(await copyRows({ from: to, to: last, table: SESSIONS, parts })).toEqual(copied);
  const log = await last.read('select entry from toolwright.session_log where session = $1 order by number', ['s0007']);
  expect(log).toEqual([{ entry: '"b 7"' }, { entry: '"a 7"' }]);
});

test('refuses a target with rows, and replaces those that both have', async () => {
  await using from = await filled(2);
  await using to = open();
  for (const id of ['s0001', 'other']) {
    await to.write(OLD_ROW, [id, '"old"']);
    await to.write(OLD_ENTRY, [id, '"old"']);
  }
  const options = { from, to, table: SESSIONS, parts: [[LOG, LOG]] as const };
  await expect(copyRows(options)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await copyRows({ ...options, overwrite: true });
  const rows = await to.read(
    'select s.id, s.user_name, l.entry from toolwright.sessions s join toolwright.session_log l on l.session = s.id order by l.number',
  );
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['other', '"old"', '"old"'],
    ['s0001', '"ada ☃ 1"', '"b 1"'],
    ['s0001', '"ada ☃ 1"', '"a 1"'],
    ['s0002', '"ada ☃ 2"', '"b 2"'],
    ['s0002', '"ada ☃ 2"', '"a 2"'],
  ]);
});

test('leaves whole rows after an interruption, which a second copy finishes', async () => {
  await using from = await filled(150);
  await using to = open();
  const cut = partOf(async (query, owner, ...more) => {
    if (owner.id === 's0120') throw new Error('killed');
    await LOG.add(query, owner, ...more);
  });
  await expect(copyRows({ from, to, table: SESSIONS, parts: [[LOG, cut]] })).rejects.toThrow('killed');
  const count = async (table: string) => (await to.read(`select count(*) as n from toolwright.${table}`))[0]?.n;
  expect([await count('sessions'), await count('session_log')]).toEqual([100, 200]);
  const parts = [[LOG, LOG]] as const;
  await using whole = open();
  const copied = await copyRows({ from, to: whole, table: SESSIONS, parts });
  expect(await copyRows({ from, to, table: SESSIONS, parts, overwrite: true })).toEqual(copied);
  expect([await count('sessions'), await count('session_log')]).toEqual([150, 300]);
});

test('rejects a target that has other contents afterwards, and leaves none of them there', async () => {
  await using from = await filled(1);
  await using to = open();
  const changing = partOf((query, owner, rows, before) =>
    LOG.add(query, owner, [...rows.slice(0, -1), { session: 's0001', entry: '"x"' }], before),
  );
  const failure = copyRows({ from, to, table: SESSIONS, parts: [[LOG, changing]] });
  await expect(failure).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('other contents of session_log'),
  });
  expect(await to.read('select 1 from toolwright.sessions')).toEqual([]);
});
