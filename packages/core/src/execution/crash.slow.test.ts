import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { endOwners, rowOfJournal } from '../../../../test/fixtures/execution-rows.ts';
import { failureOf, until } from '../../../../test/fixtures/server.ts';
import { IS_SHORT } from '../../../../test/fixtures/short-form.ts';
import { createChain, journalKey } from '../../../storage/src/data-folder/integrity.ts';
import type { ExecutionResult } from '../history/result.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../toolwright.ts';

let folders: string[] = [];
let opened: Toolwright[] = [];

afterEach(async () => {
  await Promise.all(opened.map((toolwright) => toolwright.close()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  [folders, opened] = [[], []];
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-crash-'));
  folders.push(folder);
  return folder;
}

/** Opens a Toolwright whose tool `pay` counts its effects. */
async function open(dataDir: string): Promise<{ toolwright: Toolwright; effects: number[] }> {
  const effects: number[] = [];
  const amount = { type: 'object', properties: { amount: { type: 'number' } } } as const;
  const tools = {
    bank: {
      tools: {
        pay: {
          description: 'Pays',
          inputSchema: amount,
          run: async (args: { amount?: number }) => {
            effects.push(args.amount ?? 0);
            return { paid: args.amount };
          },
        },
        quote: {
          description: 'Reads',
          inputSchema: amount,
          annotations: { readOnlyHint: true },
          run: async (args: { amount?: number }) => ({ price: 2 * (args.amount ?? 0) }),
        },
      },
    },
  };
  const options = { dataDir, sandbox: 'quickjs', tools, waits: { graceMs: 0 }, check: false, store: 'memory' };
  const toolwright = await createToolwright(options as unknown as ToolwrightOptions);
  opened.push(toolwright);
  return { toolwright, effects };
}

const PROGRAM = `
let total = 0;
for (let n = 1; n <= 3; n++) {
  const { price } = await callMCPTool('bank__quote', { amount: n });
  const { paid } = await callMCPTool('bank__pay', { amount: price });
  await fs.appendFile('log', paid + '\\n');
  total += paid;
  console.log('paid', paid);
}
return { total, log: await fs.readFile('log', 'utf8'), random: Math.random() };`;

/** Returns a data folder as a crash leaves it: the journal and the file up to this place, and no live owner. */
async function crashed(whole: string, id: string, bytes: number, isAppended = true): Promise<string> {
  const dataDir = newFolder();
  cpSync(whole, dataDir, { recursive: true });
  await endOwners(dataDir);
  const path = join(dataDir, 'executions', `${id}.jsonl`);
  const left = readFileSync(path).subarray(0, bytes);
  writeFileSync(path, left);
  // The last begun append was made, or not.
  const log = join(dataDir, 'sessions', 'crash', 'workspace', 'log');
  if (existsSync(log)) writeFileSync(log, logAt(left.toString(), isAppended));
  await rowOfJournal(dataDir, id);
  return dataDir;
}

function logAt(journal: string, isAppended: boolean): string {
  const begun = journal.match(/^\{"entry":"change".*\}$/gm) ?? [];
  const last = begun.at(-1);
  const isOpen = last !== undefined && !journal.includes(`"operation":"fs.appendText"`, journal.indexOf(last));
  return ['2\n', '4\n', '6\n'].slice(0, begun.length - (isOpen && !isAppended ? 1 : 0)).join('');
}

/** Returns a journal whose lines have new codes. */
function sealed(text: string, id: string, dataDir: string): string {
  const chain = createChain(journalKey(join(dataDir, 'journal.key')), id);
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => `${chain.seal(...splitAtCode(line))}\n`).join('');
}

function splitAtCode(line: string): [string, string] {
  const [head = '', rest = ''] = line.split(/,"code":"[\w-]{20}"/, 2);
  return [head, rest];
}

/** The numbers of calls of `pay` that are sent in a journal, and those without an answer. */
function sentPays(path: string): { sent: number[]; unanswered: number[] } {
  const sent = new Map<number, number>();
  const answered = new Set<number>();
  const text = readFileSync(path, 'utf8');
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line === '') continue;
    const entry = JSON.parse(line);
    if (entry.entry === 'call' && entry.tool === 'bank__pay') sent.set(entry.number, entry.arguments.amount);
    if (entry.entry === 'answer') answered.add(entry.number);
  }
  return {
    sent: [...sent.values()],
    unanswered: [...sent].flatMap(([number, amount]) => (answered.has(number) ? [] : [amount])),
  };
}

/** Continues a crashed execution, and decides that each unknown call took effect. */
async function recover(
  dataDir: string,
  id: string,
): Promise<{ result: ExecutionResult; effects: number[]; asked: number }> {
  const { toolwright, effects } = await open(dataDir);
  let asked = 0;
  let result = await toolwright.executions.resume(id);
  while (result.status === 'suspended') {
    expect(result.waitingFor).toEqual(['outcome']);
    for (const { call, arguments: args } of result.pending) {
      asked++;
      const value = { paid: (args as { amount: number }).amount };
      await toolwright.executions.decide(id, { action: 'result', calls: [call], value });
    }
    result = await toolwright.executions.resume(id);
  }
  await toolwright.close();
  return { result, effects, asked };
}

test('after a crash at any place of the journal, an execution goes on without a second effect', async () => {
  const whole = newFolder();
  const { toolwright } = await open(whole);
  const done = await toolwright.execute(PROGRAM, { sessionId: 'crash', createSession: true });
  expect(done).toMatchObject({ status: 'completed', value: { total: 12, log: '2\n4\n6\n' } });
  const { executionId: id } = done;
  await toolwright.close();
  const path = join('executions', `${id}.jsonl`);
  const text = readFileSync(join(whole, path), 'utf8');
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
  const middle = (end: number, line: number) => Math.floor((end + (ends[line + 1] ?? end)) / 2);
  // After each line but the result and the end, or in its middle; both with `npm run test:all`.
  const places = ends.slice(0, -2).map((end, line) => [end, middle(end, line)] as const);
  const cuts = places.flatMap(([end, middle], line) => (IS_SHORT ? [line % 2 === 0 ? end : middle] : [end, middle]));
  for (const [index, cut] of cuts.entries()) {
    const dataDir = await crashed(whole, id, cut, index % 3 === 0);
    const before = sentPays(join(dataDir, path));
    const { result, effects, asked } = await recover(dataDir, id);
    const label = `cut at byte ${cut} of ${text.length}`;
    expect(result, label).toMatchObject({ status: 'completed', value: { total: 12, log: '2\n4\n6\n' } });
    expect(Object(result).value.random, label).toBe(Object(done).value.random);
    expect([...before.sent, ...effects], label).toEqual([2, 4, 6]);
    expect(asked, label).toBe(before.unanswered.length);
  }
}, 240_000);

test('an unknown outcome is sent again or fails, as the person decides', async () => {
  const whole = newFolder();
  const { toolwright } = await open(whole);
  const program = `return callMCPTool('bank__pay', { amount: 5 }).catch(({ code, message }) => [code, message])`;
  const { executionId: id } = await toolwright.execute(program);
  await toolwright.close();
  const text = readFileSync(join(whole, 'executions', `${id}.jsonl`), 'utf8');
  const cut = text.indexOf('\n', text.indexOf('"entry":"call"')) + 1;
  for (const action of ['resend', 'fail'] as const) {
    const { toolwright: next, effects } = await open(await crashed(whole, id, cut));
    expect(await next.executions.resume(id)).toMatchObject({
      status: 'suspended',
      pending: [{ kind: 'outcome', call: 1 }],
    });
    expect((await failureOf(next.executions.decide(id, { action: 'approve' }))).code).toBe('CONFIG_INVALID');
    await next.executions.decide(id, { action, note: 'the bank says no' });
    const result = await next.executions.resume(id);
    const failed = ['OUTCOME_UNKNOWN', expect.stringContaining('the bank says no')];
    expect(result).toMatchObject({ status: 'completed', value: action === 'resend' ? { paid: 5 } : failed });
    expect(effects).toEqual(action === 'resend' ? [5] : []);
  }
});

test('a decision about an unknown outcome holds for one call: after another crash, the person is asked again', async () => {
  const whole = newFolder();
  const { toolwright } = await open(whole);
  const { executionId: id } = await toolwright.execute(`return callMCPTool('bank__pay', { amount: 5 })`);
  await toolwright.close();
  const path = join('executions', `${id}.jsonl`);
  const cutAfter = (folder: string, entry: string) => {
    const text = readFileSync(join(folder, path), 'utf8');
    return crashed(folder, id, text.indexOf('\n', text.indexOf(`"entry":"${entry}"`)) + 1);
  };
  const first = await cutAfter(whole, 'call');
  const { toolwright: next } = await open(first);
  await next.executions.resume(id);
  await next.executions.decide(id, { action: 'resend' });
  expect(await next.executions.resume(id)).toMatchObject({ status: 'completed' });
  await next.close();
  const dataDir = await cutAfter(first, 'send');
  const { toolwright: last, effects } = await open(dataDir);
  expect(await last.executions.resume(id)).toMatchObject({
    status: 'suspended',
    pending: [{ kind: 'outcome', call: 1, question: 2 }],
  });
  expect(effects).toEqual([]);
  const late = await failureOf(last.executions.decide(id, { action: 'resend', calls: [1], question: 1 }));
  expect([late.code, late.message]).toEqual(['ALREADY_DECIDED', expect.stringContaining('resend')]);
  const unknown = await failureOf(last.executions.decide(id, { action: 'resend', calls: [1], question: 3 }));
  expect(unknown.message).toBe('Call 1 has no question 3. Its questions: 1, 2.');
  const value = { to: 'ann@example.com' };
  expect(await last.executions.decide(id, { action: 'result', value, calls: [1], question: 2 })).toEqual([1]);
  expect(await last.executions.resume(id)).toMatchObject({ status: 'completed' });
  expect(effects).toEqual([]);
  expect(readFileSync(join(dataDir, path), 'utf8')).not.toContain('ann@example.com');
});

test('a program that does something else than before is stopped before its next effect, with the difference', async () => {
  const whole = newFolder();
  const { toolwright } = await open(whole);
  const { executionId: id } = await toolwright.execute(PROGRAM);
  await toolwright.close();
  const text = readFileSync(join(whole, 'executions', `${id}.jsonl`), 'utf8');
  const dataDir = await crashed(whole, id, text.indexOf('\n', text.indexOf('"entry":"answer"')) + 1);
  const { toolwright: next, effects } = await open(dataDir);
  const path = join(dataDir, 'executions', `${id}.jsonl`);
  // Another source with its own code, as another version of the engine would run it.
  const changed = readFileSync(path, 'utf8').replace('amount: n }', 'amount: 9 }');
  writeFileSync(path, changed);
  expect((await failureOf(next.executions.resume(id))).code).toBe('JOURNAL_DAMAGED');
  writeFileSync(path, sealed(changed, id, dataDir));
  const result = await next.executions.resume(id);
  const message = expect.stringContaining('at line 4, in its request 1. Recorded: ["call","bank__quote",{"amount":1}]');
  expect(result).toMatchObject({ status: 'failed', error: { code: 'REPLAY_MISMATCH', line: 4, message } });
  expect(effects).toEqual([]);
});

test('a server continues an interrupted execution by itself, unless its process ended at the last five attempts', async () => {
  const whole = newFolder();
  const { toolwright } = await open(whole);
  const { executionId: id } = await toolwright.execute(PROGRAM);
  await toolwright.close();
  const text = readFileSync(join(whole, 'executions', `${id}.jsonl`), 'utf8');
  const afterAnswer = text.indexOf('\n', text.indexOf('"entry":"answer"')) + 1;
  const attempted = async (attempts: number) => {
    const dataDir = await crashed(whole, id, afterAnswer);
    const path = join(dataDir, 'executions', `${id}.jsonl`);
    const code = '"code":"12345678901234567890"';
    const resume = `{"entry":"resume","at":"2026-01-01T00:00:00.000Z",${code}}\n`;
    writeFileSync(path, sealed(readFileSync(path, 'utf8') + resume.repeat(attempts), id, dataDir));
    return dataDir;
  };
  const once = await open(await attempted(1));
  using _continuing = once.toolwright.executions.continueExecutions();
  await until(async () => (await once.toolwright.executions.get(id)).status === 'completed', 20_000);
  expect(once.effects).toEqual([2, 4, 6]);

  const often = await open(await attempted(5));
  using _refusing = often.toolwright.executions.continueExecutions();
  await sleep(1_000);
  expect((await often.toolwright.executions.get(id)).status).toBe('interrupted');
  expect(often.effects).toEqual([]);
  expect(await often.toolwright.executions.resume(id)).toMatchObject({ status: 'completed', value: { total: 12 } });
});
