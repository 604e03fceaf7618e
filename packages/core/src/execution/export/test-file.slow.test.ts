import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { needs } from '../../../../../test/fixtures/needs.ts';
import { needsPython } from '../../../../../test/fixtures/python.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { shortForm } from '../../../../../test/fixtures/short-form.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../toolwright.ts';

const root = join(import.meta.dirname, '../../../../..');
let toolwright: Toolwright;
let folder: string;

beforeAll(async () => {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
  const inputSchema = { type: 'object', properties: { n: { type: 'number' }, to: { type: 'string' } } };
  let count = 0;
  const run = async ({ n = 0 }: { n?: number }) => {
    count++;
    await new Promise((resolve) => setTimeout(resolve, 12 - 3 * n));
    if (n < 0) throw new Error(`no ${n}`);
    return { paid: n, count };
  };
  toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    store: 'memory',
    check: false,
    pii: { mode: 'off' },
    limits: { timeoutMs: 120_000 },
    tools: { bank: { tools: { pay: { description: 'Pays', inputSchema, run }, 'look-up': { inputSchema, run } } } },
  } as unknown as ToolwrightOptions);
});
afterAll(() => toolwright.close());

let files = 0;

async function exported(program: string, language: 'typescript' | 'python' = 'typescript'): Promise<string> {
  const result = await toolwright.execute(program, {
    language,
    sandbox: language === 'python' ? 'pyodide' : 'quickjs',
  });
  expect(result.status, JSON.stringify(result)).not.toBe('suspended');
  return toolwright.executions.exportTest(result.executionId);
}

/** Runs test files where only vitest is installed. */
function runVitest(...texts: readonly string[]): { passed: boolean; output: string } {
  const run = join(folder, `run-${++files}`);
  mkdirSync(run);
  for (const [index, text] of texts.entries()) writeFileSync(join(run, `exported-${index}.test.ts`), text);
  const {
    VITEST: _,
    VITEST_WORKER_ID: __,
    VITEST_POOL_ID: ___,
    NODE_ENV: ____,
    FORCE_COLOR: _____,
    ...rest
  } = process.env;
  const env = { ...rest, NO_COLOR: '1' };
  const args = [join(folder, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--dir', run];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
  return { passed: status === 0, output: `${stdout}${stderr}` };
}

/** Runs a test file with the standard library of Python, or with pytest. */
function runPython(text: string, runner = 'unittest', python = 'python3'): { passed: boolean; output: string } {
  const file = `test_exported_${++files}.py`;
  writeFileSync(join(folder, file), text);
  const { status, stdout, stderr } = spawnSync(python, ['-m', runner, file], { cwd: folder, encoding: 'utf8' });
  return { passed: status === 0, output: `${stdout}${stderr}` };
}

const TYPESCRIPT = `import * as bank from './servers/bank/index.js';
import { pay, lookUp as find } from './servers/bank';
import { readFile } from 'node:fs/promises';
interface Paid { paid: number; count: number }
const order: number[] = [];
const results = await Promise.all([1, 2, 3].map(async (n): Promise<Paid> => { const paid = await pay({ n }); order.push(n); return paid; }));
const first = await Promise.race([find({ n: 0 }), bank.lookUp({ n: 3 })]);
const failed = await callMCPTool('bank__pay', { n: -1 }).catch((error) => [error instanceof ToolError, error.name, error.code, error.message]);
const unknown = await callMCPTool('bank__none').catch(({ code }) => code);
await fs.writeFile('log', JSON.stringify(order));
await fs.appendFile('log', new Uint8Array([33, 10]));
await sleep(5);
await new Promise((resolve) => setTimeout(resolve, 1, 'late'));
const fs2 = fs;
const hits = await search_tools('pay');
const map = new Map([['a', new Set([1, 2])]]);
return { results, order, first, failed, unknown, text: await readFile('log'), size: (await fs2.stat('log')).size, hits: hits.length, map };`;

describe('a TypeScript program', { timeout: 120_000 }, () => {
  test('becomes a test that passes where only vitest is installed, and fails with another call', async () => {
    const text = await exported(TYPESCRIPT);
    const run = runVitest(text);
    expect(run.passed, run.output).toBe(true);
    const changes = [
      ['{ n: -1 }', '{ n: -2 }', '"n": -2'],
      ["callMCPTool('bank__none')", "callMCPTool('bank__pay', { n: 9 })", 'bank__pay'],
      ['await sleep(5);', 'await pay({ n: 8 }).catch(() => 0);', '"n": 8'],
      ['map };', 'map, more: 1 };', 'more'],
      ['[1, 2, 3].map', '[1, 2].map', '"n": 3'],
    ] as const;
    for (const [from] of changes) expect(text).toContain(from);
    const { output } = runVitest(...changes.map(([from, to]) => text.replace(from, to)));
    expect(output).toMatch(/Test Files\s+5 failed \(5\)/);
    for (const [, , problem] of changes) expect(output).toContain(problem);
  });

  test('is exported with its error, its time, and without a result', async () => {
    const texts = [
      await exported(
        `const { paid } = await callMCPTool('bank__pay', { n: 1 });\nthrow new RangeError('not ' + paid);`,
      ),
      await exported(`throw await callMCPTool('bank__pay', { n: -7 })`),
      await exported(
        `const day = new Date().toISOString();\nawait callMCPTool('bank__pay', { to: day });\nreturn [day, new Date(2026, 0, 1, 3).toISOString(), performance.now() >= 0];`,
      ),
      await exported(`await callMCPTool('bank__pay', { n: 1 });`),
      await exported(
        `import * as fs from 'node:fs/promises';\nimport files, { stat as size } from 'fs';\nimport { pay } from './servers/bank';\nconst imported = await pay({ n: 1 });\nawait files.writeFile('a', 'bc');\nreturn [imported.paid, String(await fs.default.readFile('a')), (await size('a')).size, '\`\${*/'];`,
      ),
      await exported(
        `export default async function work() { return (await callMCPTool('bank__pay', { n: 2 })).paid; }`,
      ),
      await exported(`(await callMCPTool('bank__pay', { n: 1 })).paid + 1`),
      await exported(`(await servers.bank.pay({ n: 1 })).paid + (await servers.bank.pay(2)).paid`),
    ];
    const run = runVitest(...texts);
    expect(run.passed, run.output).toBe(true);
    expect(runVitest((texts[0] ?? '').replace('RangeError', 'TypeError')).passed).toBe(false);
  });

  test.each(
    shortForm([
      ['random numbers', `return callMCPTool('bank__pay', { n: Math.random() })`, 'depend on random numbers'],
      [
        'a measured time',
        `const t = Date.now(); while (Date.now() < t + 5); return Date.now() - t;`,
        'depend on the time',
      ],
      [
        'dynamic imports',
        `return (await import('./servers/bank/index.js')).pay({ n: 1 })`,
        'imports modules while it runs',
      ],
      ['its own globals', `return globalThis.callMCPTool('bank__pay', { n: 1 })`, 'globalThis'],
      [
        'a file of the workspace',
        `await fs.writeFile('lib.js', 'export const a = 1');\nreturn (await import('./lib.js')).a`,
        'imports',
      ],
      ['a syntax error', `return (`, 'has not ended by itself'],
      ['a time limit', `for (;;);`, 'has not ended by itself'],
      ['a failure of the sandbox', `return Symbol('x')`, 'RESULT_NOT_JSON'],
    ] as const),
  )('is refused with the reason: %s', async (_name, program, reason) => {
    const { executionId } = await toolwright.execute(program, { sandbox: 'quickjs', limits: { timeoutMs: 3_000 } });
    const { code, message } = await failureOf(toolwright.executions.exportTest(executionId));
    expect([code, message]).toEqual(['NOT_SUPPORTED', expect.stringContaining(reason)]);
  });
});

const PYTHON = `import asyncio
from datetime import date, datetime
from servers.bank import pay
import servers.bank as other
order = []
async def one(n):
    order.append((n, (await pay(n=n))["paid"]))
await asyncio.gather(*(one(n) for n in (1, 2, 3)))
task = asyncio.create_task(call_mcp_tool("bank__look-up", {"n": 2}))
text = '''two
  lines'''
try:
    await other.pay(n=-1)
except ToolError as error:
    failed = [error.code, error.message]
day = date(2026, 1, 2)
return {"order": order, "task": await task, "failed": failed, "text": text, "day": day, "look": await servers.bank.look_up(n=3)}`;

/** The Python of a distribution has its packages, and may be another one than the first of the path. */
const PYTEST = ['python3', '/usr/bin/python3'].find(
  (python) => spawnSync(python, ['-m', 'pytest', '--version']).status === 0,
);
needs(
  'pytest',
  PYTEST === undefined ? 'pytest is not installed' : undefined,
).it('an exported test also runs with pytest', async () => {
  const text = await exported(PYTHON, 'python');
  const run = runPython(text, 'pytest', PYTEST);
  expect(run.passed, run.output).toBe(true);
  expect(runPython(text.replace('pay(n=-1)', 'pay(n=-2)'), 'pytest', PYTEST).passed).toBe(false);
}, 300_000);

test('a dry run is refused: its answers are invented', async () => {
  const { executionId } = await toolwright.execute(`return 1`, { sandbox: 'quickjs', dryRun: true });
  expect((await failureOf(toolwright.executions.exportTest(executionId))).message).toContain('it is a dry run');
});

describe('a Python program', { timeout: 120_000 }, () => {
  needsPython.it('becomes a test that passes with the standard library, and fails with another call', async () => {
    const text = await exported(PYTHON, 'python');
    const run = runPython(text);
    expect(run.passed, run.output).toBe(true);
    for (const [from, to, problem] of [
      ['pay(n=-1)', 'pay(n=-2)', "'n': -2"],
      ['(1, 2, 3)', '(1, 2)', "'n': 3"],
      ['"day": day', '"day": 1', 'day'],
      ['day = date(2026, 1, 2)', 'day = date(2026, 1, 2); asyncio.ensure_future(pay(n=7))', "'n': 7"],
    ] as const) {
      expect(text).toContain(from);
      const changed = runPython(text.replace(from, to));
      expect(changed.passed, `${to}: ${changed.output}`).toBe(false);
      expect(changed.output).toContain(problem);
    }
    const failing = await exported(
      `paid = await call_mcp_tool('bank__pay', {'n': 1})\nraise ValueError('never')`,
      'python',
    );
    expect(runPython(failing).passed).toBe(true);
    expect(runPython(failing.replace("ValueError('never')", "ValueError('ever')")).passed).toBe(false);
  });

  test.each(
    shortForm([
      ['random numbers', `import random\nresult = random.random()`, 'depend on random numbers'],
      ['the time', `import datetime\nresult = str(datetime.datetime.now())`, 'depend on the time'],
      ['a wait', `import time\ntime.sleep(0.01)\nresult = 1`, 'waits for a time'],
      ['a set', `result = [n for n in {'a', 'b'}]`, 'order of its sets'],
      [
        'a loop',
        `import asyncio\nasync def main():\n    return 1\nloop = asyncio.new_event_loop()\nresult = loop.run_until_complete(main())`,
        'event loop',
      ],
    ] as const),
  )('is refused with the reason: %s', async (_name, program, reason) => {
    const { executionId } = await toolwright.execute(program, { language: 'python', sandbox: 'pyodide' });
    const { code, message } = await failureOf(toolwright.executions.exportTest(executionId));
    expect([code, message]).toEqual(['NOT_SUPPORTED', expect.stringContaining(reason)]);
  });
});

test('a program of a session is exported as one without it, unless it uses a kept value', async () => {
  const { id: sessionId } = await toolwright.sessions.create();
  const program = "const paid = await callMCPTool('bank__pay', { n: 1 }); return paid;";
  const first = await toolwright.execute(program, { sessionId, sandbox: 'quickjs' });
  expect(first).toMatchObject({ status: 'completed', kept: { values: [{ name: 'paid' }] } });
  expect(runVitest(await toolwright.executions.exportTest(first.executionId))).toMatchObject({ passed: true });
  const second = await toolwright.execute('return paid.count', { sessionId, sandbox: 'quickjs' });
  expect(second).toMatchObject({ status: 'completed', value: expect.any(Number) });
  expect(await failureOf(toolwright.executions.exportTest(second.executionId))).toMatchObject({
    code: 'NOT_SUPPORTED',
    message: expect.stringContaining('its program uses kept values of its session'),
  });
});

test('a program whose operands report what they read is exported, and one for which the host computes is not', async () => {
  const get = () => ({ people: [{ email: 'ann@x.com' }, { email: 'bob@x.com' }] });
  const tools = { crm: { tools: { get: { run: get, annotations: { readOnlyHint: true } } } } };
  await using redacting = await createToolwright({ dataDir: temporaryFolder(), sandbox: 'quickjs', tools });
  const exportOf = async (rest: string) => {
    const { executionId } = await redacting.execute(`const { people } = await callMCPTool('crm__get', {}); ${rest}`);
    return redacting.executions.exportTest(executionId);
  };
  const text = await exportOf("return people.filter((p) => p.email === 'eve@x.com').length;");
  expect(text).toContain('[EMAIL_2]');
  expect(runVitest(text)).toMatchObject({ passed: true });
  expect(await failureOf(exportOf('return people.map((p) => p.email.toUpperCase());'))).toMatchObject({
    message: expect.stringContaining('the host computes expressions of its program'),
  });
});
