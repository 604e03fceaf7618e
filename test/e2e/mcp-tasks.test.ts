import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuthInfo, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { acceptTasks, TASKS_EXTENSION } from '../../packages/connectors/src/mcp/calls/tasks.ts';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { listen } from '../../packages/server/src/listen.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { partial } from '../fixtures/partial.ts';
import { fixture, temporaryFile, until } from '../fixtures/server.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Settings {
  readonly dataDir?: string;
  readonly graceMs?: number;
  readonly user?: string;
  readonly acceptsTasks?: boolean;
  readonly taskAfterMs?: number;
  /** Milliseconds before each execution starts, as on a machine with much work. */
  readonly startMs?: number;
}

/** Starts our MCP server with two servers behind it. Calls of its client become tasks soon. */
async function start({
  dataDir = temporaryFolder(),
  graceMs = 60_000,
  user = 'ada',
  acceptsTasks = true,
  taskAfterMs = 100,
  startMs = 0,
}: Settings = {}) {
  // The same server after a restart: its arguments are a part of its identity.
  const file = join(dataDir, 'asked');
  const toolwright = await createToolwright({
    ...{ dataDir, sandbox: 'quickjs', check: false, waits: { graceMs } },
    mcpServers: { ask: { ...fixture('asking', 'modern', file), protocol: 'modern' } },
  });
  closers.push(() => toolwright.close());
  const execute: Toolwright['execute'] = async (...given) => {
    await sleep(startMs);
    return toolwright.execute(...given);
  };
  const servers = mcpServers({ open: async () => ({ ...toolwright, execute }), logger: partial(silent), taskAfterMs });
  const endpoint = mcpEndpoint(servers, partial(silent));
  closers.push(() => endpoint.close());
  const client = new Client(
    { name: 'c', version: '1' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: { elicitation: { form: {} }, ...(acceptsTasks ? { extensions: TASKS_EXTENSION } : {}) },
    },
  );
  const authInfo: AuthInfo = { token: 't', clientId: user, scopes: [], extra: { user } };
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), { authInfo });
  const transport = new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch });
  await client.connect(transport);
  acceptTasks(transport);
  closers.push(() => client.close());
  const request = (method: string, params: object) =>
    client.request({ method, params } as never, z.looseObject({}) as never) as Promise<Record<string, never>>;
  const get = (taskId: string) => request('tasks/get', { taskId });
  const run = async (code: string, more = {}) => {
    const answer = await client.callTool(
      { name: 'execute_code', arguments: { code, ...more } },
      { allowInputRequired: true },
    );
    return { answer, task: Object.values(answer._meta ?? {})[0] as { readonly taskId: string } };
  };
  const ended = async (taskId: string) => {
    await until(async () => !['working', 'input_required'].includes((await get(taskId)).status ?? ''));
    return get(taskId);
  };
  const effects = () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);
  return { toolwright, request, get, run, ended, effects, dataDir };
}

const SLOW = 'await new Promise((done) => setTimeout(done, 1500)); return 42';

it('a long program goes on as a task, and its result is the answer of the call', async () => {
  const { run, get, ended } = await start();
  const file = temporaryFile();
  const code = `await callMCPTool('ask__hold', { file: ${JSON.stringify(file)} }); return 42`;
  const { task } = await run(code, { sessionId: 'new' });
  expect(task).toMatchObject({ status: 'working', ttlMs: 86_400_000, pollIntervalMs: 1_000 });
  expect(await get(task.taskId)).toMatchObject({ taskId: task.taskId, status: 'working' });
  await until(() => existsSync(file));
  rmSync(file);
  expect(await ended(task.taskId)).toMatchObject({
    ...{ status: 'completed', createdAt: expect.any(String) },
    result: { content: [{ type: 'text', text: expect.stringMatching(/^42\nsessionId: /) }] },
  });
  const failing = await run(`${SLOW.split(';')[0]}; throw new Error('no disk')`);
  expect(await ended(failing.task.taskId)).toMatchObject({
    ...{ status: 'completed', result: { isError: true, content: [{ text: expect.stringContaining('no disk') }] } },
  });
});

it('a program that starts late becomes a task when it has started', async () => {
  const { run, ended } = await start({ startMs: 500 });
  const { task } = await run(SLOW);
  expect(task).toMatchObject({ status: 'working' });
  expect(await ended(task.taskId)).toMatchObject({ status: 'completed' });
});

it('a quick program is answered at once', async () => {
  const { run } = await start({ taskAfterMs: 60_000 });
  const { answer } = await run('return 1');
  expect(answer.content).toEqual([{ type: 'text', text: '1' }]);
});

it('a client without the extension waits, and cannot read tasks', async () => {
  const { run, get } = await start({ acceptsTasks: false });
  const { answer } = await run(SLOW);
  expect(answer.content).toEqual([{ type: 'text', text: '42' }]);
  await expect(get('x')).rejects.toMatchObject({ code: -32021 });
});

it('a task is cancelled, and unknown tasks and those of others are refused', async () => {
  const { run, request, ended, dataDir } = await start();
  const { task } = await run('await new Promise((done) => setTimeout(done, 20_000))');
  expect(await request('tasks/cancel', { taskId: task.taskId })).not.toHaveProperty('taskId');
  expect(await ended(task.taskId)).toMatchObject({ status: 'cancelled' });
  expect(await request('tasks/cancel', { taskId: task.taskId })).toBeDefined();
  const other = await start({ dataDir, user: 'bob' });
  for (const taskId of [task.taskId, 'x', '../keys'])
    await expect(other.get(taskId)).rejects.toMatchObject({ code: -32602 });
  await expect(other.request('tasks/cancel', { taskId: task.taskId })).rejects.toMatchObject({ code: -32602 });
});

it('a task asks its questions one after the other, again after a wrong answer, and also after a restart', async () => {
  const first = await start({ graceMs: 0 });
  const code = "await new Promise((done) => setTimeout(done, 300)); return callMCPTool('ask__trip', {})";
  const { task } = await first.run(code);
  await until(async () => (await first.get(task.taskId)).status === 'input_required');
  // The question is open a little earlier. A program that still runs is cancelled by the end of its process.
  await until(async () => (await first.toolwright.executions.get(task.taskId, 'ada')).status === 'suspended');
  const { dataDir } = first;
  await first.toolwright.close();

  const { get, request, ended, toolwright } = await start({ dataDir, graceMs: 60_000 });
  const answer = async (content: object) => {
    await until(async () => (await get(task.taskId)).status === 'input_required');
    const { inputRequests } = (await get(task.taskId)) as unknown as { inputRequests: Record<string, Asked> };
    const [[key, asked] = ['', undefined]] = Object.entries(inputRequests);
    await request('tasks/update', { taskId: task.taskId, inputResponses: { [key]: { action: 'accept', content } } });
    return { key, message: asked?.params.message };
  };
  const wrong = await answer({ email: 'ann' });
  const again = await answer({ email: 'ann@example.com' });
  expect(again.message).toContain('The answer does not fit the question');
  expect(again.key).not.toBe(wrong.key);
  expect((await answer({ sure: true })).message).toContain('Sure?');
  const done = await ended(task.taskId);
  expect(done).toMatchObject({
    status: 'completed',
    result: { content: [{ text: expect.stringMatching(/^trip for \[EMAIL_\d+\]/) }] },
  });
  expect((await toolwright.executions.list({ userId: 'ada' })).executions).toHaveLength(1);
});

interface Asked {
  readonly params: { readonly message: string };
}

it('a Toolwright in front of another one polls its task', async () => {
  const back = await createToolwright({ dataDir: temporaryFolder(), sandbox: 'quickjs', check: false });
  closers.push(() => back.close());
  const servers = mcpServers({ open: async () => back, logger: partial(silent), taskAfterMs: 100 });
  const listening = await listen({
    toolwright: back,
    host: '127.0.0.1',
    port: 0,
    logger: silent as never,
    mcp: servers,
  });
  closers.push(() => listening.close());
  const front = await createToolwright({
    ...{ dataDir: temporaryFolder(), sandbox: 'quickjs', check: false },
    mcpServers: { back: { url: `${listening.url}/mcp`, protocol: 'modern' } },
  });
  closers.push(() => front.close());
  const states: unknown[] = [];
  const result = await front.execute(`return callMCPTool('back__execute_code', { code: ${JSON.stringify(SLOW)} })`, {
    onProgress: (value) => states.push(value),
  });
  expect(result).toMatchObject({ status: 'completed', value: '42' });
});
