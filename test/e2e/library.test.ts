import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Logger } from '../../packages/core/src/telemetry/log.ts';
import { createToolwright, type ExecuteOptions, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { readJournal, temporaryFolder } from '../fixtures/bridge-host.ts';
import { isAlive } from '../fixtures/processes.ts';
import { failureOf, fixture, temporaryFile, until } from '../fixtures/server.ts';

const { resolve: locate } = createRequire(import.meta.url);
const npmServer = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [locate(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});

const dataDir = temporaryFolder();
const files = temporaryFolder();
const quiet: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const toolwright = await createToolwright({
  dataDir,
  logger: quiet,
  mcpServers: {
    files: npmServer('filesystem', files),
    memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(files, 'memory.jsonl') } },
    everything: npmServer('everything'),
  },
  tools: {
    clock: {
      description: 'Tells the time.',
      tools: {
        now: { description: 'The time now', run: () => ({ year: 2026 }) },
        wait: { run: ({ ms }) => sleep(Number(ms)) },
      },
    },
  },
});
afterAll(() => toolwright.close());

async function dataOf(where: Toolwright, source: string, options?: ExecuteOptions): Promise<unknown> {
  const result = await where.execute(source, options);
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  return result.value;
}

test('one program uses several real servers', async () => {
  const source = `
import * as files from './servers/files/index.js';
import { createEntities, readGraph } from './servers/memory/index.js';
await Promise.all(['a', 'b'].map((name) => files.writeFile({ path: '${files}/' + name + '.txt', content: name.repeat(3) })));
const { content } = await files.readTextFile({ path: '${files}/a.txt' });
await createEntities({ entities: [{ name: content, entityType: 'file', observations: ['short'] }] });
const graph = await readGraph({});
const sum = await callMCPTool('everything__get-sum', { a: 2, b: 3 });
const { year } = await callMCPTool('clock__now');
return { content, names: graph.entities.map(({ name }) => name), sum, year };`;
  expect(await dataOf(toolwright, source)).toEqual({
    content: 'aaa',
    names: ['aaa'],
    sum: 'The sum of 2 and 3 is 5.',
    year: 2026,
  });
  expect(readFileSync(join(files, 'b.txt'), 'utf8')).toBe('bbb');
});

test('wrong arguments are reported all at once, and nothing is sent', async () => {
  const result = await toolwright.execute('await callMCPTool("everything__get-sum", { a: "2", c: 1 })', {
    check: false,
  });
  if (result.status !== 'failed') throw new Error(JSON.stringify(result));
  expect([result.error.kind, result.error.code]).toEqual(['user', 'INVALID_ARGUMENTS']);
  for (const part of ['a', 'b', 'everything__get-sum']) expect(result.error.message).toContain(part);
});

test('tools are searched, described and listed by server', async () => {
  const { hits, text } = await toolwright.search(['read a file', 'what time is it']);
  expect(hits.map(({ id }) => id)).toEqual(expect.arrayContaining(['files__read_text_file', 'clock__now']));
  expect(text).toContain('servers.clock.now(');
  expect((await toolwright.search('time', { server: 'clock', limit: 1 })).hits.map(({ id }) => id)).toEqual([
    'clock__now',
  ]);
  expect(JSON.parse(await toolwright.describe('clock__now', 'schema'))).toMatchObject({ name: 'clock__now' });
  expect((await failureOf(toolwright.describe('clock__noww'))).code).toBe('UNKNOWN_TOOL');
  const servers = await toolwright.servers({ load: true });
  expect(servers.map(({ name, status }) => [name, status.state])).toEqual([
    ['files', 'ready'],
    ['memory', 'ready'],
    ['everything', 'ready'],
    ['clock', 'ready'],
  ]);
});

test('files of a session stay from program to program and belong to the session', async () => {
  await dataOf(toolwright, 'await fs.writeFile("note", "mine")', { sessionId: 'anna', createSession: true });
  expect(await dataOf(toolwright, 'fs.readFile("note", "utf8")', { sessionId: 'anna', createSession: true })).toBe(
    'mine',
  );
  expect(await dataOf(toolwright, 'fs.readdir("/workspace")', { sessionId: 'ben', createSession: true })).toEqual([]);
  expect(await dataOf(toolwright, 'fs.readdir("/workspace")')).toEqual([]);
});

test('logs, calls and progress are reported in order', async () => {
  const events: unknown[] = [];
  const source = `
console.log('start');
await callMCPTool('clock__now');
progress({ done: 1 });
await callMCPTool('clock__wait', { ms: 1 });
console.error('end');`;
  await dataOf(toolwright, source, {
    onLog: ({ level, text }) => events.push([level, text]),
    onCall: ({ number, tool }) => events.push([number, tool]),
    onProgress: (value) => events.push(value),
  });
  expect(events).toEqual([['info', 'start'], [1, 'clock__now'], { done: 1 }, [2, 'clock__wait'], ['error', 'end']]);
});

test('a signal stops an execution, before its start and while it runs', async () => {
  const before = await toolwright.execute('return 1', { signal: AbortSignal.abort() });
  const abort = new AbortController();
  const source = 'await callMCPTool("clock__wait", { ms: 20000 })';
  const middle = await toolwright.execute(source, { signal: abort.signal, onCall: () => abort.abort() });
  expect([before, middle]).toMatchObject([
    { status: 'stopped', limit: 'cancelled', calls: [] },
    { status: 'stopped', limit: 'cancelled', message: 'The caller cancelled the execution.' },
  ]);
  expect(await dataOf(toolwright, '1')).toBe(1);
});

test('two Toolwrights run at the same time, and one continues when the other is closed', async () => {
  const other = await createToolwright({ dataDir, tools: { clock: { tools: { now: { run: () => 'other' } } } } });
  const source = 'return callMCPTool("clock__now")';
  expect(await Promise.all([dataOf(toolwright, source), dataOf(other, source)])).toEqual([{ year: 2026 }, 'other']);
  await other.close();
  expect(await dataOf(toolwright, source)).toEqual({ year: 2026 });
});

test('close cancels running executions, ends every process, and can be called twice', async () => {
  const starts = temporaryFile();
  const own = await createToolwright({
    dataDir: temporaryFolder(),
    mcpServers: { basic: { ...fixture('basic'), env: { STARTS_FILE: starts } } },
  });
  let begun = () => {};
  const called = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const running = own.execute('await callMCPTool("basic__slow", { ms: 20000 })', { onCall: () => begun() });
  await called;
  await until(async () => (await own.servers())[0]?.status.state === 'ready');
  await Promise.all([own.close(), own.close()]);
  await own.close();
  expect(await running).toMatchObject({
    status: 'stopped',
    limit: 'cancelled',
    calls: [{ tool: 'basic__slow', status: 'unanswered' }],
  });
  expect((await failureOf(own.execute('1'))).code).toBe('CLOSED');
  const pids = readFileSync(starts, 'utf8').trim().split('\n').map(Number);
  expect([pids.length, pids.filter(isAlive)]).toEqual([1, []]);
});

test('the journal of an execution records its end', async () => {
  const { executionId: id } = await toolwright.execute('return 1', { sessionId: 'anna', createSession: true });
  expect(readJournal(join(dataDir, 'executions', `${id}.jsonl`))).toMatchObject([
    { entry: 'start', id, session: 'anna', language: 'typescript', sandbox: expect.any(String), source: 'return 1' },
    { entry: 'clock' },
    { entry: 'result', result: { status: 'completed', value: 1 } },
    { entry: 'end', status: 'completed' },
  ]);
});

test.each<[string, object, RegExp]>([
  ['a server without a command', { mcpServers: { a: {} } }, /mcpServers\.a: expected one of "command".*got none/],
  [
    'a server twice',
    { mcpServers: { a: { command: 'x' } }, tools: { a: { tools: {} } } },
    /Two servers have the name "a"/,
  ],
  ['an unknown limit', { limits: { timeout: 1 } }, /Unknown limit "timeout"/],
  ['an unknown sandbox', { sandbox: 'jial' }, /There is no sandbox "jial"/],
  ['a file that is not there', { config: '/nowhere/toolwright.json' }, /no file \/nowhere\/toolwright\.json/],
])('%s is a configuration error', async (_name, options, message) => {
  const failure = await failureOf(createToolwright({ dataDir, ...options }));
  expect([failure.code, failure.message]).toEqual(['CONFIG_INVALID', expect.stringMatching(message)]);
});

test.each<[string, () => Promise<unknown>, RegExp]>([
  ['a program that is no text', () => toolwright.execute(JSON.parse('null')), /takes a program as text/],
  ['an unknown language', () => toolwright.execute('1', JSON.parse('{"language":"cobol"}')), /no language "cobol"/],
  [
    'a bad limit',
    () => toolwright.execute('1', { limits: { depth: 0 } }),
    /limits\.depth must be a positive whole number/,
  ],
])('%s is refused', async (_name, run, message) => {
  const failure = await failureOf(run());
  expect([failure.code, failure.message]).toEqual(['CONFIG_INVALID', expect.stringMatching(message)]);
});

test('a process whose close() was forgotten logs a warning', async () => {
  const index = new URL('../../packages/toolwright/dist/index.js', import.meta.url).href;
  const options = { sandbox: 'quickjs', dataDir: temporaryFolder(), mcpServers: { basic: fixture('basic') } };
  const program = `const { createToolwright } = await import('${index}');
    const toolwright = await createToolwright(${JSON.stringify(options)});
    await toolwright.servers({ load: true });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    let said = '';
    for await (const part of child.stderr) {
      said += part;
      if (said.includes('await using')) break;
    }
    expect(said).toMatch(/\[TOOLWRIGHT_OPEN\] Warning: This process is idle and does not end.*Call close\(\)/);
  } finally {
    child.kill('SIGKILL');
  }
});

test('timers that are pending at the end of a program are named, and a time limit of a call is none', async () => {
  const logs = async (source: string) => (await toolwright.execute(source)).logs.map(({ text }) => text);
  expect(await logs('setTimeout(() => console.log("late"), 60_000); return 1')).toEqual([
    expect.stringMatching(/^1 timer was pending when the program ended: .* use "await sleep\(milliseconds\)"\.$/),
  ]);
  expect(await logs('const id = setTimeout(() => 0, 60_000); clearTimeout(id); return 1')).toEqual([]);
  expect(await logs('AbortSignal.timeout(60_000); await new Promise((done) => setTimeout(done, 1)); return 1')).toEqual(
    [],
  );
});
