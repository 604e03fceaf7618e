import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';
import { measure } from '../fixtures/turns.ts';

/** Milliseconds of processor time for which one input may keep the server from answering others. Alone on a machine, 100 are enough. */
const MAX_TURN_MS = 250;

const BASE64 = Buffer.alloc(9_000_000, 'a text in base64').toString('base64');

const local = {
  tools: {
    count: {
      description: 'Counts its arguments',
      inputSchema: { type: 'object' as const },
      run: async (args: unknown) => Object.keys(Object(args)).length,
    },
    base64: { description: 'Returns base64', inputSchema: { type: 'object' as const }, run: async () => BASE64 },
  },
};
const server = await startApi({}, { pii: { mode: 'off' }, tools: { local } });
afterAll(() => server.close());
// The first program of a process loads most of the code.
beforeAll(() => execute('return callMCPTool("local__count", { a: 1 })'));

const execute = (code: string) => ask(`${server.url}/execute`, { method: 'POST', json: { code } });
const object = (names: number) => `const o = {}; for (let i = 0; i < ${names}; i++) o['k' + i] = i;`;

test.each([
  ['an object with 300,000 names', `${object(300_000)} return o`, /^type: \{\[key: string\]: number\}/],
  ['a text of 5 MB', 'return "lorem ipsum dolor ".repeat(300000)', /^"lorem ipsum/],
  ['1,000,000 numbers', 'return Array.from({ length: 1000000 }, (_, i) => i)', /^1000000 items, type: number\[\]/],
  ['100,000 rows', 'return Array.from({ length: 100000 }, (_, id) => ({ id, ok: true }))', /^100000 items, type: \{/],
])('a program that returns %s leaves time for other requests', async (_kind, code, value) => {
  const { longestTurnMs, result } = await measured(code);
  expect(result).toMatchObject({ status: 'completed', value: expect.stringMatching(value) });
  expect(longestTurnMs).toBeLessThan(MAX_TURN_MS);
});

test('a tool that returns 12 MB of base64 leaves time for other requests', async () => {
  const { longestTurnMs, result } = await measured("return (await callMCPTool('local__base64', {})).length");
  expect(result).toMatchObject({ status: 'completed', value: 12_000_000 });
  expect(longestTurnMs).toBeLessThan(MAX_TURN_MS);
});

test.each([
  [45_000, { status: 'completed', value: 45_000 }],
  [200_000, { status: 'failed', error: { code: 'ARGUMENTS_TOO_LARGE', message: expect.stringContaining('50000') } }],
])('a tool call with %i names leaves time for other requests', async (names, expected) => {
  const { longestTurnMs, result } = await measured(`${object(names)} return callMCPTool('local__count', o)`);
  expect(result).toMatchObject(expected);
  expect(longestTurnMs).toBeLessThan(MAX_TURN_MS);
});

test.each([
  ['POST /execute', '/execute', (many: object) => ({ code: 'return 1', ...many })],
  ['POST /tools/{name}/call', '/tools/local__count/call', (many: object) => ({ arguments: many })],
  ['POST /mcp', '/mcp', (many: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: many })],
])('a body of %s with too many names is refused unread', async (_name, path, body) => {
  const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, index]));
  const text = JSON.stringify(body(many));
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  let response: Response | undefined;
  const { longestTurnMs } = await measure(async () => {
    response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: text });
  });
  expect([response?.status, await response?.text()]).toEqual([413, expect.stringContaining('20000 different names')]);
  expect(longestTurnMs).toBeLessThan(MAX_TURN_MS);
});

async function measured(code: string) {
  let result: unknown;
  const { longestTurnMs } = await measure(async () => {
    result = (await execute(code)).body;
  });
  return { longestTurnMs, result };
}
