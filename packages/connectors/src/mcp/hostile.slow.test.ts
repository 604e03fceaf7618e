import { expect, test } from 'vitest';
import { connectorMaker } from '../../../../test/fixtures/connectors.ts';
import { failureOf, fixture, toolNames } from '../../../../test/fixtures/server.ts';
import type { Connector } from '../connector.ts';

const connector = connectorMaker();
const hostile = (mode: string, log?: (line: string) => void): Connector =>
  connector('h', { ...fixture('hostile', mode), protocol: 'legacy', timeoutMs: 3_000 }, log);

test('an answer without a result or an error fails its call at once', async () => {
  const failure = await failureOf(hostile('null-error').call('x', {}));
  expect([failure.code, failure.message]).toEqual([
    'UPSTREAM_PROTOCOL',
    'h answered the call of x, but its answer contains neither a result nor an error. The server violates JSON-RPC 2.0: update or report it. About x: the call may have taken effect, and was not repeated.',
  ]);
});

test.each([
  ['text-code', '{"code":"x","message":5} (x)'],
  ['both', 'x'],
])('an odd error (%s) keeps its words', async (mode, message) => {
  const failure = await failureOf(hostile(mode).call('x', {}));
  expect([failure.code, failure.message]).toEqual(['TOOL_FAILED', message]);
});

test('reads many content blocks', async () => {
  expect(await hostile('blocks').call('x', {})).toHaveLength(10_001);
});

test('accepts an answer with an empty error and extra members', async () => {
  expect(await hostile('old-style').call('x', {})).toBe('fine');
});

test('reports all progress that arrives together with the answer', async () => {
  const reports: unknown[] = [];
  await hostile('all-at-once').call('x', {}, { onProgress: (report) => reports.push(report) });
  expect(reports).toEqual([{ progress: 1 }, { progress: 2 }]);
});

test('reads a number that JSON does not have as null', async () => {
  const lines: string[] = [];
  expect(await hostile('nan', (line) => lines.push(line)).call('x', {})).toEqual({ x: null });
  expect(lines).toContain('deviates from the protocol, and was read all the same: NaN or infinity, read as null');
});

test('quotes other output in the error of a call without an answer', async () => {
  const failure = await failureOf(hostile('chatter').call('x', {}, { timeoutMs: 500 }));
  expect(failure.code).toBe('TOOL_TIMEOUT');
  expect(failure.message).toContain("1 lines that are not JSON-RPC to stdout, e.g. 'working on it'");
});

test('names the frames of a language server', async () => {
  const { message } = await failureOf(hostile('frames').call('x', {}, { timeoutMs: 500 }));
  expect(message).toContain('It frames messages as language servers do, and MCP has one message per line');
});

test('a server that closes its stdout fails its calls', async () => {
  const failure = await failureOf(hostile('closed').call('x', {}));
  expect(failure.code).toBe('UPSTREAM_UNAVAILABLE');
  expect(failure.message).toContain('Toolwright ended it because it closed its stdout.');
});

test('leaves out a tool whose definition is nested too deeply', async () => {
  const server = hostile('deep-schema');
  expect(await toolNames(server)).toEqual(['x']);
  const problem = 'its definition is nested deeper than 200 levels';
  expect(server.status().omittedTools).toEqual([{ name: 'deep', problem }]);
});

test('shortens a long error message of a tool', async () => {
  const failure = await failureOf(hostile('error').call('x', {}));
  expect(failure.message.replace(/E+/, (text) => String(text.length))).toBe('16384… (1000000 characters in all)');
});

test('a flood of notifications leaves time for other work', async () => {
  const server = hostile('notifications');
  await server.tools();
  let turns = 0;
  const timer = setInterval(() => turns++, 10);
  expect((await failureOf(server.call('x', {}, { timeoutMs: 2_000 }))).code).toBe('TOOL_TIMEOUT');
  clearInterval(timer);
  // 200 without other work; without a limit about 20.
  expect(turns).toBeGreaterThan(60);
  await server[Symbol.asyncDispose]();
});

test('ends a server that sends endless requests and reads no answers', async () => {
  const failure = await failureOf(hostile('questions').call('x', {}, { timeoutMs: 240_000 }));
  expect(failure.code).toBe('UPSTREAM_UNAVAILABLE');
  expect(failure.message).toContain('Toolwright ended it because it sent 1000 requests and read none of the answers.');
});

test('leaves out a tool with an unusable name', async () => {
  const lines: string[] = [];
  expect(await toolNames(hostile('long-name', (line) => lines.push(line)))).toEqual(['x']);
  expect(lines).toContain(`left out the tool "${'n'.repeat(100)}": it has no usable name`);
});

test('limits the total size of a tool list', async () => {
  const failure = await failureOf(hostile('endless-text').tools());
  expect(failure.message).toContain('it sent more than 64 million characters');
});

test('quotes a server that rejects the handshake', async () => {
  const failure = await failureOf(connector('h', fixture('hostile', 'refuses')).tools());
  expect(failure.message).toContain('h could not start: no licence.');
});
