import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectorMaker } from '../../../test/fixtures/connectors.ts';
import { failureOf, fixture, temporaryFile, toolNames } from '../../../test/fixtures/server.ts';

const connector = connectorMaker();

test('connects at the first use, once, and stays connected', async () => {
  const startsFile = temporaryFile();
  const basic = connector('basic', { ...fixture('basic'), env: { STARTS_FILE: startsFile } });
  expect(basic.status()).toEqual({ state: 'idle', starts: 0 });
  const sums = await Promise.all(Array.from({ length: 100 }, (_, index) => basic.call('add', { a: index, b: 1 })));
  expect(sums).toEqual(Array.from({ length: 100 }, (_, index) => ({ sum: index + 1 })));
  expect(await basic.call('counter', {})).toBe('1');
  expect(await basic.call('counter', {})).toBe('2');
  expect(readFileSync(startsFile, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(basic.status()).toEqual({ state: 'ready', starts: 1, protocol: '2025-06-18' });
  expect(basic.description).toBe('fixture');
});

test('returns the data of each kind of answer', async () => {
  const basic = connector('basic', fixture('basic'));
  expect(await basic.call('rows', { count: 2 })).toEqual([
    { id: 0, name: 'row 0' },
    { id: 1, name: 'row 1' },
  ]);
  expect(await basic.call('echo', { value: 'plain' })).toBe('plain');
  expect(await basic.call('image', {})).toEqual({ type: 'image', mimeType: 'image/png', data: 'iVBORw==' });
  expect(await basic.call('resource', {})).toEqual({
    type: 'resource',
    resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'A' },
  });
  expect(await basic.call('big', { bytes: 5_000_000 })).toHaveLength(5_000_000);
  const failure = await failureOf(basic.call('boom', {}));
  expect([failure.code, failure.message]).toEqual(['TOOL_FAILED', 'the disk is full']);
});

test('returns an answer that breaks its output schema', async () => {
  const basic = connector('basic', fixture('basic'));
  await basic.tools();
  expect(await basic.call('liar', {})).toEqual({ sum: 'not a number' });
});

test('an answer that is not a tool result keeps its data', async () => {
  expect(await connector('basic', fixture('basic')).call('malformed', {})).toBe('no list');
});

test('runs calls concurrently on one connection', async () => {
  const basic = connector('basic', fixture('basic'));
  await basic.tools();
  const start = performance.now();
  await Promise.all(Array.from({ length: 10 }, () => basic.call('slow', { ms: 1_000 })));
  expect(performance.now() - start).toBeLessThan(9_000);
});

test('forwards progress', async () => {
  const basic = connector('basic', fixture('basic'));
  const reports: unknown[] = [];
  await basic.call('progress', { steps: 3 }, { onProgress: (report) => reports.push(report) });
  expect(reports).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
});

test('progress extends the time of a call, also when nobody listens to it', async () => {
  const basic = connector('basic', fixture('basic'));
  await basic.tools();
  // The tool takes at least 6 s.
  expect(await basic.call('progress', { steps: 300 }, { timeoutMs: 5_000 })).toBe('done');
});

test('cancels a call on the server after its timeout', async () => {
  const hangs = connector('hangs', { ...fixture('hangs'), timeoutMs: 300 });
  await hangs.tools();
  const failure = await failureOf(hangs.call('hang', {}));
  expect([failure.code, failure.message]).toEqual([
    'TOOL_TIMEOUT',
    'hang on hangs did not answer within 300 ms and was cancelled. Raise mcpServers.hangs.timeoutMs, or ask for less.',
  ]);
  expect(await hangs.call('cancelled', {})).toHaveLength(1);
  expect((await failureOf(hangs.call('hang', {}, { timeoutMs: 50 }))).message).toContain('within 50 ms');
  expect(await hangs.call('cancelled', {})).toHaveLength(2);
});

test('cancels a call on the server when the caller aborts it', async () => {
  const hangs = connector('hangs', fixture('hangs'));
  await hangs.tools();
  const failure = await failureOf(hangs.call('hang', {}, { signal: AbortSignal.timeout(100) }));
  expect([failure.code, failure.message]).toEqual([
    'CANCELLED',
    'The call of hang on hangs was cancelled, also on the server.',
  ]);
  expect(await hangs.call('cancelled', {})).toHaveLength(1);
  expect((await failureOf(hangs.call('hang', {}, { signal: AbortSignal.abort() }))).code).toBe('CANCELLED');
});

test('an error of the server itself keeps its message', async () => {
  const modern = connector('modern', fixture('modern'));
  const failure = await failureOf(modern.call('add', { a: 'one', b: 2 }));
  expect(failure.code).toBe('TOOL_FAILED');
  expect(failure.message).toMatch(/a: .*expected number/i);
  expect((await failureOf(modern.call('nope', {}))).code).toBe('TOOL_FAILED');
});

test('lists all pages, and cuts endless lists', async () => {
  expect(await toolNames(connector('pages', fixture('pages')))).toEqual(
    Array.from({ length: 25 }, (_, index) => `tool_${index}`),
  );
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  expect(await toolNames(connector('loop', fixture('pages', 'loop'), log))).toHaveLength(10);
  expect(await toolNames(connector('endless', fixture('pages', 'endless'), log))).toHaveLength(1_005);
  expect(lines).toEqual([
    'cut its list of tools: the server sent the cursor "1" twice',
    'cut its list of tools: the server sent more than 200 pages',
  ]);
});

test('allow and deny select the tools', async () => {
  const tools = { allow: ['tool_1*', 'tool_2'], deny: ['*_12'] };
  const pages = connector('pages', { ...fixture('pages'), tools });
  const allowed = [1, 2, 10, 11, 13, 14, 15, 16, 17, 18, 19].map((index) => `tool_${index}`);
  expect(await toolNames(pages)).toEqual(allowed);
  const failure = await failureOf(pages.call('tool_12', {}));
  expect([failure.code, failure.message]).toEqual(['UNKNOWN_TOOL', 'mcpServers.pages.tools does not allow tool_12.']);
});

test('reports changed tools, and lists them again', async () => {
  const changing = connector('changing', fixture('changing'));
  let reported = 0;
  const stop = changing.onToolsChanged(() => reported++);
  expect(await toolNames(changing)).toEqual(['grow']);
  await changing.call('grow', {});
  expect(reported).toBe(1);
  expect(await toolNames(changing)).toEqual(['grow', 'grown_1']);
  stop();
  await changing.call('grow', {});
  expect(reported).toBe(1);
});

test('a slow or dead server does not delay others', async () => {
  const config = { startTimeoutMs: 20_000 };
  const hangs = connector('hangs', { ...fixture('hangs', 'start'), ...config });
  const dies = connector('dies', { ...fixture('dies', 'start'), ...config });
  const basic = connector('basic', fixture('basic'));
  const waiting = failureOf(hangs.tools());
  const [failure, sum] = await Promise.all([failureOf(dies.tools()), basic.call('add', { a: 1, b: 2 })]);
  expect([failure.code, sum]).toEqual(['UPSTREAM_UNAVAILABLE', { sum: 3 }]);
  await hangs[Symbol.asyncDispose]();
  expect((await waiting).code).toBe('CLOSED');
});

test('close fails running and later calls', async () => {
  const hangs = connector('hangs', fixture('hangs'));
  await hangs.tools();
  const call = failureOf(hangs.call('hang', {}));
  await hangs[Symbol.asyncDispose]();
  expect((await call).code).toBe('CLOSED');
  expect((await failureOf(hangs.call('hang', {}))).code).toBe('CLOSED');
  expect(hangs.status().state).toBe('closed');
});
