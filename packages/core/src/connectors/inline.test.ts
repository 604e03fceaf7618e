import { expect, test } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { inlineConnector } from './inline.ts';

const inputSchema = { type: 'object', properties: { a: { type: 'number' } } };
const inline = inlineConnector('own', {
  description: 'Ours',
  tools: {
    double: { description: 'Doubles', inputSchema, run: ({ a }) => ({ doubled: Number(a) * 2, nothing: undefined }) },
    nothing: { run: () => undefined },
    boom: {
      run: () => {
        throw new Error('no such luck');
      },
    },
    waits: {
      run: async (_args, { signal, onProgress }) => {
        onProgress({ progress: 1 });
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        stopped++;
      },
    },
  },
});
let stopped = 0;

test('lists its tools and runs them', async () => {
  expect(inline.description).toBe('Ours');
  expect(await inline.tools()).toEqual([
    { name: 'double', description: 'Doubles', inputSchema },
    { name: 'nothing', inputSchema: { type: 'object' } },
    { name: 'boom', inputSchema: { type: 'object' } },
    { name: 'waits', inputSchema: { type: 'object' } },
  ]);
  expect(await inline.call('double', { a: 21 })).toStrictEqual({ doubled: 42 });
  expect(await inline.call('nothing', {})).toBeNull();
});

test('what is thrown becomes TOOL_FAILED, an unknown name UNKNOWN_TOOL', async () => {
  const failure = await failureOf(inline.call('boom', {}));
  expect([failure.code, failure.message]).toEqual(['TOOL_FAILED', 'no such luck']);
  expect((await failureOf(inline.call('constructor', {}))).code).toBe('UNKNOWN_TOOL');
});

test('time and the caller can stop a tool, which is told', async () => {
  const reports: unknown[] = [];
  const late = inline.call('waits', {}, { timeoutMs: 50, onProgress: (report) => reports.push(report) });
  expect((await failureOf(late)).code).toBe('TOOL_TIMEOUT');
  expect(reports).toEqual([{ progress: 1 }]);
  expect((await failureOf(inline.call('waits', {}, { signal: AbortSignal.timeout(20) }))).code).toBe('CANCELLED');
  expect((await failureOf(inline.call('waits', {}, { signal: AbortSignal.abort() }))).code).toBe('CANCELLED');
  expect(stopped).toBe(2);
});

test('nothing runs after closing', async () => {
  const other = inlineConnector('other', { tools: { nothing: { run: () => undefined } } });
  await other[Symbol.asyncDispose]();
  expect((await failureOf(other.call('nothing', {}))).code).toBe('CLOSED');
  expect(other.status()).toEqual({ state: 'closed', starts: 0 });
});

test.each([
  [{ find: { run: () => 1 } }, 'The functions of crm belong under "tools": { crm: { tools: { … } } }.'],
  [undefined, 'The functions of crm belong under "tools": { crm: { tools: { … } } }.'],
  [{ tools: { find: { description: 'x' } } }, 'The tool find of crm has no function "run" that does the work.'],
  [{ tools: { find: null } }, 'The tool find of crm has no function "run" that does the work.'],
])('tells at once what is missing in %j', (options, message) => {
  expect(() => inlineConnector('crm', options as never)).toThrow(message);
});
