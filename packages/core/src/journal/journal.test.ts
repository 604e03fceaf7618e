import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inlineConnector } from '@toolwright/connectors';
import { expect, test, vi } from 'vitest';
import { readJournal, temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { NO_REDACTION } from '../../../pii/src/redaction/redactor.ts';
import type { GuestBridge } from '../../../sandbox/src/bridge/protocol.ts';
import { typescriptLanguage } from '../../../sandbox/src/languages/typescript.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { checkLimits, type Limits } from '../config/sections/limits.ts';
import { ToolwrightError } from '../errors.ts';
import { execute } from '../execution/execute.ts';
import { noPackages } from '../execution/packages/packages.ts';
import { openWaiting } from '../execution/questions/waiting.ts';
import { fileExecutions } from '../history/storages/files.ts';
import { createSessionStore } from '../sessions/sessions.ts';
import { createSkillLibraries } from '../skills/library.ts';
import { OPEN_POLICY } from '../tool-calls/policy/create-policy.ts';
import type { JournalEntry, JournalStart } from './entries.ts';
import { openJournal } from './journal.ts';

const sandbox = warmQuickjs();
const language = typescriptLanguage();
const limits = checkLimits({});

const start: JournalStart = {
  id: 'some-id',
  language: 'typescript',
  sandbox: 'none',
  host: { name: 'here', pid: 1 },
  source: 'return "ü\n"',
  catalogHash: 'h',
  seed: 1,
  epochMs: 2,
};

function journalOf(dataDir: string): JournalEntry[] {
  const folder = join(dataDir, 'executions');
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
  return readJournal(join(folder, name));
}

test('entries are lines in the order of events, readable by the owner only', async () => {
  const folder = join(temporaryFolder(), 'executions');
  const journal = openJournal(folder, start, { maxBytes: 100_000, key: Buffer.alloc(32) });
  journal.begin({ number: 1, tool: 't__a', arguments: '{"a":"\\n"}' });
  journal.begin({ number: 2, tool: 't__"b"', arguments: '{}' });
  journal.end({ number: 2, ok: false, result: '{"code":"X"}' });
  journal.end({ number: 1, ok: true, result: 'null' });
  await journal.flushed();
  const unfinished = readJournal(journal.path);
  journal.close('completed');
  const entries = [
    { entry: 'start', format: 2, ...start },
    { entry: 'call', number: 1, tool: 't__a', arguments: { a: '\n' } },
    { entry: 'call', number: 2, tool: 't__"b"', arguments: {} },
    { entry: 'answer', number: 2, ok: false, result: { code: 'X' } },
    { entry: 'answer', number: 1, ok: true, result: null },
  ];
  expect(unfinished).toEqual(entries);
  expect(readJournal(journal.path)).toEqual([...entries, { entry: 'end', status: 'completed' }]);
  const lines = readFileSync(journal.path, 'utf8').trimEnd().split('\n');
  expect(lines.every((line) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(JSON.parse(line).at))).toBe(true);
  expect([statSync(folder).mode & 0o777, statSync(journal.path).mode & 0o777]).toEqual([0o700, 0o600]);
});

test('an answer is written with the next call, and soon without one', () => {
  vi.useFakeTimers();
  try {
    const journal = openJournal(temporaryFolder(), start, { maxBytes: 100_000, key: Buffer.alloc(32) });
    const written = () => readJournal(journal.path).map(({ entry }) => entry);
    journal.begin({ number: 1, tool: 't__a', arguments: '{}' });
    expect(written()).toEqual(['start', 'call']);
    journal.end({ number: 1, ok: true, result: 'null' });
    expect(written()).toEqual(['start', 'call']);
    journal.begin({ number: 2, tool: 't__a', arguments: '{}' });
    expect(written()).toEqual(['start', 'call', 'answer', 'call']);
    journal.end({ number: 2, ok: true, result: 'null' });
    vi.advanceTimersByTime(10);
    expect(written()).toEqual(['start', 'call', 'answer', 'call', 'answer']);
    journal.close('completed');
  } finally {
    vi.useRealTimers();
  }
});

test('a journal is never overwritten', () => {
  const folder = temporaryFolder();
  openJournal(folder, start, { maxBytes: 100_000, key: Buffer.alloc(32) }).close('completed');
  expect(() => openJournal(folder, start, { maxBytes: 100_000, key: Buffer.alloc(32) })).toThrow(/EEXIST/);
});

test('a folder that cannot be written to is a configuration error with the fix', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const open = () => openJournal(join(file, 'executions'), start, { maxBytes: 100_000, key: Buffer.alloc(32) });
  expect(open).toThrow(ToolwrightError);
  expect(open).toThrow(/^Cannot write to the data folder \S*executions: ENOTDIR.*set dataDir or TOOLWRIGHT_DATA_DIR/);
});

/** Runs a program with a tool that reads the journal during its call. */
async function run(source: string, changed: Partial<Limits> = {}) {
  const dataDir = temporaryFolder();
  const seen: JournalEntry[][] = [];
  const look = async (args: Readonly<Record<string, unknown>>) => {
    seen.push(journalOf(dataDir));
    if (args.fail) throw new Error('asked to');
    return { order: seen.length, got: args };
  };
  const catalog = createCatalog({ connectors: [inlineConnector('t', { tools: { look: { run: look } } })] });
  const storage = fileExecutions({ dataDir });
  const sessions = createSessionStore({ dataDir, executions: storage, quota: limits });
  const skills = createSkillLibraries(dataDir, [language]);
  const context = {
    catalog,
    sandbox,
    language,
    sessions,
    skills,
    dataDir,
    storage,
    ...openWaiting(),
    packages: noPackages(),
    policy: OPEN_POLICY,
    redactorOf: () => NO_REDACTION,
    onDefect: () => undefined,
    hasLogIds: false,
  };
  const result = await execute(source, context, { limits: { ...limits, ...changed } });
  return { result, seen: seen.map(ofTools), entries: ofTools(journalOf(dataDir)) };
}

/** Returns the entries without those that only a replay needs. */
function ofTools(entries: readonly JournalEntry[]): JournalEntry[] {
  return entries.filter(({ entry }) => entry !== 'clock' && entry !== 'reply');
}

/** The end of a journal with a result. */
const end = (status: string, ran = true) => [
  { entry: 'result', result: expect.objectContaining({ status }) },
  { entry: 'end', status, resultBytes: expect.any(Number), ...(ran ? { outcome: expect.any(String) } : {}) },
];

test('a call is on disk before it is sent, and its answer before the guest continues', async () => {
  const { seen, entries } = await run(
    'await callMCPTool("t__look", { a: 1 }); await callMCPTool("t__look", { a: 2 }); return 1',
  );
  const call = (number: number) => ({
    entry: 'call',
    number,
    request: number,
    mac: expect.any(String),
    tool: 't__look',
    line: 1,
    arguments: { a: number },
  });
  const answer = (number: number) => ({
    entry: 'answer',
    number,
    ok: true,
    result: { order: number, got: { a: number } },
  });
  expect(seen.map((then) => then.slice(1))).toEqual([[call(1)], [call(1), answer(1), call(2)]]);
  expect(entries.slice(1)).toEqual([call(1), answer(1), call(2), answer(2), ...end('completed')]);
});

test('a full journal refuses the next call before it is sent, and the next answer', async () => {
  const journal = openJournal(join(temporaryFolder(), 'executions'), start, { maxBytes: 1_500, key: Buffer.alloc(32) });
  journal.begin({ number: 1, tool: 't__a', arguments: JSON.stringify('x'.repeat(800)) });
  expect(() => journal.begin({ number: 2, tool: 't__a', arguments: JSON.stringify('y'.repeat(600)) })).toThrow(
    /has \d+ bytes; 602 more exceed its limit of 1500\. The call was not sent\./,
  );
  expect(() => journal.end({ number: 1, ok: true, result: JSON.stringify('z'.repeat(600)) })).toThrow(/took effect/);
  journal.end({ number: 1, ok: false, result: '{"code":"JOURNAL_FULL"}' });
  await journal.flushed();
  expect(readJournal(journal.path).map((entry) => entry.entry)).toEqual(['start', 'call', 'answer']);
});

test('a program receives the error of a full journal, and continues', async () => {
  const source = `const codes = [];
for (const text of ['a', 'b'.repeat(6_000), 'c'])
  codes.push(await callMCPTool('t__look', { text }).then(() => 'fine', (error) => error.code));
return codes;`;
  const { result, seen } = await run(source, { journalBytes: 5_000 });
  expect(result).toMatchObject({ status: 'completed', value: ['fine', 'JOURNAL_FULL', 'fine'] });
  expect(seen).toHaveLength(2);
});

test('a program that fails or does not parse has an end entry too', async () => {
  const failed = await run('await callMCPTool("t__look", { fail: true })');
  expect(failed.entries.slice(2)).toEqual([
    { entry: 'answer', number: 1, ok: false, result: { code: 'TOOL_FAILED', message: 'asked to' } },
    ...end('failed'),
  ]);
  expect((await run('const = 1')).entries.slice(1)).toEqual(end('failed', false));
});

test('a program starts at the given time, at any time of day', async () => {
  const { guest, code } = await language.prepare('[Date.now(), new Date().getTime(), new Date(0).getTime()]');
  const epochMs = Date.UTC(2020, 1, 29);
  const bridge: GuestBridge = { request: async () => ({ ok: true, payload: 'null' }), notice: () => undefined };
  const outcome = await sandbox.run({ guest, code, seed: 1, epochMs }, { bridge, limits });
  const [now = 0, date = 0, zero] = JSON.parse(outcome.status === 'completed' ? (outcome.value ?? '') : '[]');
  expect([now - epochMs < 5_000, now >= epochMs, date - now < 1_000, zero]).toEqual([true, true, true, 0]);
});
