import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { probeJail } from '../../../../sandbox/src/sandboxes/jail.ts';
import { createToolwright, type ExecuteOptions, type Toolwright } from '../../toolwright.ts';

const dataDir = temporaryFolder();
const jail = (await probeJail('python')).available;
const python = { language: 'python' } as const;

const open = (sandbox: 'jail' | 'quickjs' | 'pyodide') =>
  createToolwright({
    dataDir,
    sandbox,
    tools: {
      crm: {
        tools: { people: { run: () => [{ name: 'Ann Smith', email: 'ann@x.com' }] }, send: { run: (given) => given } },
      },
    },
  });
const toolwright = await open('quickjs');
afterAll(() => toolwright.close());

/** Returns functions that run programs of one session, one after the other. */
function session(sessionId: string, more: ExecuteOptions = {}, own: Toolwright = toolwright) {
  const run = async (source: string, options: ExecuteOptions = {}) =>
    own.execute(source, { sessionId, createSession: true, ...more, ...options });
  return {
    run,
    value: async (source: string, options: ExecuteOptions = {}) => {
      const result = await run(source, options);
      if (result.status !== 'completed') throw new Error(JSON.stringify(result));
      return result.value;
    },
  };
}

describe('TypeScript', () => {
  test('has the values, functions, classes and imports of the last program', async () => {
    const { run, value } = session('typescript');
    const first = await run(`
      import * as path from 'node:path';
      class Order { constructor(readonly id: number, readonly total: number) {} get double() { return twice(this.total); } }
      const factor = 2;
      function twice(n: number) { return n * factor; }
      const rows = [{ n: 1 }, { n: 2 }];
      const days = new Map([['first', new Date(0)]]);
      const { big, odd } = { big: 2n ** 70n, odd: [undefined, NaN, -0, /a+/g, new Uint8Array([1, 2])] };
      const order = new Order(7, 21);
      const join = (a: string) => path.posix.join('a', a);`);
    expect(first).toMatchObject({
      status: 'completed',
      kept: {
        values: [
          ['Order', 'class'],
          ['factor', 'number'],
          ['twice', 'function'],
          ['rows', 'array 2'],
          ['days', 'Map 1'],
          ['big', 'bigint'],
          ['odd', 'array 5'],
          ['order', 'Order'],
          ['join', 'function'],
        ].map(([name, type]) => ({ name, type })),
        problems: [],
      },
    });
    expect(Object(first).note).toBeUndefined();
    expect(
      await value(`rows.push({ n: 3 });
        return [rows.length, days.get('first').getTime(), String(big), Object.is(odd[2], -0), odd[3].flags, odd[4][1], order.double, order instanceof Order, join('b')];`),
    ).toEqual([3, 0, '1180591620717411303424', true, 'g', 2, 42, true, 'a/b']);
    expect(await value('return rows.map(({ n }) => n)')).toEqual([1, 2, 3]);
  });

  test('keeps nothing of a failed program, nor of one without a session', async () => {
    const { run, value } = session('failed');
    await run('const a = [1]');
    expect((await run('a.push(2); const b = 1; throw new Error("no")')).status).toBe('failed');
    expect(await value('return [a, typeof b]')).toEqual([[1], 'undefined']);
    await toolwright.execute('const c = 1');
    expect(await toolwright.execute('return typeof c')).toMatchObject({ value: 'undefined' });
  });

  test('names values that it cannot keep, each with the reason, and keeps the others', async () => {
    const { run } = session('problems');
    const made = await run(
      'const make = (n: number) => () => n; const made = make(1); const late = Promise.resolve(1); const ok = 1; return 5',
    );
    expect(made).toMatchObject({
      value: 5,
      kept: {
        values: [
          { name: 'make', type: 'function' },
          { name: 'ok', type: 'number' },
        ],
        problems: [
          { name: 'made', problem: 'a call made it; write it at the top level' },
          { name: 'late', problem: 'it is not awaited' },
        ],
      },
    });
  });

  test('lists the kept values in the error of an unknown name, and passes the check', async () => {
    const { run, value } = session('names');
    await run('const rows = [1, 2]');
    const failed = await run("await callMCPTool('crm__send', { rows: row });");
    expect(Object(failed).error.message + Object(failed).error.hint).toContain('row');
    const late = await run('return row', { check: false });
    expect(Object(late).error.hint).toContain('This session has kept: rows (array 2).');
    expect(await value("return (await callMCPTool('crm__send', { rows })).rows")).toEqual([1, 2]);
  });

  test('stores placeholders only, and the next program sees the value that it has as a literal', async () => {
    const { run, value } = session('redacted');
    const found = await run(
      "const people = await callMCPTool('crm__people', {}); return people[0].email === 'ann@x.com'",
    );
    expect(found).toMatchObject({ status: 'completed', value: true });
    const stored = await toolwright.execute('return people', { sessionId: 'redacted' });
    expect(Object(stored).value).toEqual([{ name: '[NAME_1]', email: '[EMAIL_1]' }]);
    expect(await value("return people[0].email === 'ann@x.com'")).toBe(true);
    expect(await value("return (await callMCPTool('crm__send', people[0])).email")).toBe('[EMAIL_1]');
  });

  test('replays and forks with the value that the program had, and reports if it is gone', async () => {
    const { run, value } = session('replayed');
    await run('const list = Array.from({ length: 20_000 }, (_, n) => n)');
    const counted = await run(
      "const first = list.length; await callMCPTool('crm__send', {}); list.length = 5; return first",
    );
    expect(await value('return list.length')).toBe(5);
    const { executionId: id } = counted;
    expect(await toolwright.executions.replay(id)).toMatchObject({ status: 'identical' });
    expect(await toolwright.executions.fork(id, { at: 1 })).toMatchObject({ status: 'completed', value: 20_000 });
    const journal = JSON.stringify(await toolwright.executions.journal(id));
    expect(journal.length).toBeLessThan(10_000);
    const folder = join(dataDir, 'sessions/replayed/kept');
    for (const name of readdirSync(folder)) if (name !== 'index.json') rmSync(join(folder, name));
    expect(JSON.stringify(await toolwright.executions.replay(id))).toContain('any more: later values replaced it');
  });

  test('refuses a content that was changed on disk, and contents of other sessions', async () => {
    const { run } = session('changed');
    await run('const secret = "abcdefgh"');
    const folder = join(dataDir, 'sessions/changed/kept');
    const [hash = ''] = readdirSync(folder).filter((name) => name !== 'index.json');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    writeFileSync(join(folder, hash), '"changed"');
    expect(Object(await run('return secret')).error.message).toContain('has no kept value');
    const other = session('other', { userId: 'mallory' });
    await other.run('const own = 1');
    expect(await other.value('return typeof secret')).toBe('undefined');
    const stolen = await failureOf(toolwright.execute('return secret', { sessionId: 'changed', userId: 'mallory' }));
    expect(stolen).toMatchObject({ code: 'UNKNOWN_SESSION' });
  });
});

const KEEPS = `from dataclasses import dataclass
from decimal import Decimal
import datetime as dt, functools
@dataclass
class Order:
    id: int
    amount: Decimal
@functools.lru_cache
def double(x):
    return twice * x
twice = 2
rows = [{"n": 1}, {"n": 2}]
sum = 3.5
orders = [Order(1, Decimal("1.10")), Order(2, Decimal("2"))]
days = {dt.date(2026, 1, 2): {"a"}}
half = lambda x: x / twice
lines = (row for row in rows)`;
const READS = `rows.append({"n": 3})
[len(rows), sum, double(4), half(3), [str(order.amount) for order in orders], isinstance(orders[0], Order), days[dt.date(2026, 1, 2)]]`;

describe.each([
  ['jail', jail],
  ['pyodide', true],
] as const)('Python in the sandbox %s', (sandbox, isAvailable) => {
  test.skipIf(!isAvailable)('has the values, functions, classes and imports of the last program', async () => {
    const own = await open(sandbox === 'jail' ? 'jail' : 'pyodide');
    try {
      const { run, value } = session(`python-${sandbox}`, python, own);
      const first = await run(KEEPS);
      expect(
        Object(first).kept.values.map(({ name, type }: { name: string; type: string }) => `${name} (${type})`),
      ).toEqual([
        ...['Order (class)', 'double (function)', 'twice (int)', 'rows (list 2)', 'sum (float)', 'orders (list 2)'],
        ...['days (dict 1)', 'half (function)'],
      ]);
      expect(Object(first).kept.problems).toEqual([{ name: 'lines', problem: expect.stringContaining('generator') }]);
      expect(await run('nothing = None\nresult = 1')).toMatchObject({ status: 'completed', value: 1 });
      expect(await run('result = nothing is None')).toMatchObject({ status: 'completed', value: true });
      const read = await run(READS);
      expect(read).toMatchObject({ value: [3, 3.5, 8, 1.5, ['1.10', '2'], true, ['a']] });
      expect(Object(read).kept.values).toEqual([{ name: 'rows', type: 'list 3' }]);
      expect(await own.executions.replay(read.executionId)).toMatchObject({ status: 'identical' });
      expect(await value('result = 5')).toBe(5);
      expect(await value('x = 1')).toBeUndefined();
      expect(await value('[result, x]')).toEqual([5, 1]);
    } finally {
      await own.close();
    }
  });
});

describe.skipIf(!jail)('both languages', () => {
  test('share plain data; other values are of their own language, and the error reports it', async () => {
    const own = await open('jail');
    try {
      const { run, value } = session('both', {}, own);
      await run('rows = [{"n": 2**60, "t": None}]\nwords = {"a"}', python);
      expect(await value('return rows')).toEqual([{ n: '1152921504606846976', t: null }]);
      const failed = await run('return words.size');
      expect(Object(failed).error.hint).toContain('words is a set 1 of a Python program');
      await run('const answer = { list: [1, 2.5, "x"] }');
      expect(await value('answer["list"]', python)).toEqual([1, 2.5, 'x']);
    } finally {
      await own.close();
    }
  });

  test('loses nothing when a value is too large', async () => {
    const own = await open('jail');
    try {
      const typescript = session('large', {}, own);
      const huge = await typescript.run('const huge = "x".repeat(70_000_000); const small = 1; return 1', {
        limits: { memoryBytes: 1024 * 1024 * 1024 },
      });
      expect(Object(huge).kept).toMatchObject({
        values: [{ name: 'small', type: 'number' }],
        problems: [
          { name: 'huge', problem: expect.stringMatching(/^it is over .* bytes; write it to a file in \/workspace$/) },
        ],
      });
      const { run, value } = session('large', python, own);
      await run('small = {1}');
      const large = await run('large = bytes(100_000_000)\nsmall = {1, 2}\nresult = "done"', {
        limits: { memoryBytes: 512 * 1024 * 1024 },
      });
      expect(large).toMatchObject({
        value: 'done',
        kept: {
          values: [
            { name: 'small', type: 'set 2' },
            { name: 'result', type: 'str' },
          ],
          problems: [{ name: 'large', problem: expect.stringMatching(/^it is over .* bytes; write it to a file/) }],
        },
      });
      expect(await value('sorted(small)')).toEqual([1, 2]);
    } finally {
      await own.close();
    }
  });
});
