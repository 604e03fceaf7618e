import { createToolwright } from '@toolwright/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../test/fixtures/partial.ts';
import { failureOf } from '../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../test/fixtures/warm-sandbox.ts';
import { createTasks } from './agent/tasks.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';
import { scriptedModel } from './models/scripted.ts';

const dataDir = temporaryFolder();
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const toolwright = await createToolwright({ dataDir, sandbox: warmQuickjs() });
const tasks = await createTasks({
  toolwright,
  dataDir,
  logger: partial(logger),
  models: async () => scriptedModel([{ code: 'await sleep(20000)' }]),
});
let server: HttpServer;
beforeAll(async () => {
  server = await createHttpServer({ toolwright, port: 0, tasks, logger: partial(logger) });
});
afterAll(async () => {
  await server.close();
  await tasks[Symbol.asyncDispose]();
  await toolwright.close();
});

const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  return (await response.json()) as Record<string, unknown>;
};

test('the API runs programs', async () => {
  expect(await post('/execute', { code: 'return 1 + 1' })).toMatchObject({ status: 'completed', value: 2 });
});

test('MCP is at /mcp', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"name":"toolwright"')]);
});

test('a task is stopped by its time limit', async () => {
  expect(await post('/task', { task: 'Wait.', limits: { timeoutMs: 300 } })).toMatchObject({
    status: 'stopped',
    limit: 'timeoutMs',
  });
});

test('an address that is not loopback is refused', async () => {
  const failure = await failureOf(createHttpServer({ toolwright, port: 0, host: '0.0.0.0', logger: partial(logger) }));
  expect([failure.code, failure.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('0.0.0.0')]);
});

test('closing frees the port', async () => {
  const other = await createHttpServer({ toolwright, port: 0, logger: partial(logger) });
  await other.close();
  const again = await createHttpServer({ toolwright, port: Number(new URL(other.url).port), logger: partial(logger) });
  expect(again.url).toBe(other.url);
  await again.close();
});
