import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Logger } from '../../packages/core/src/telemetry/log.ts';
import { messageText, startNotifications } from '../../packages/server/src/notifications/notifications.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';
import { until } from '../fixtures/server.ts';

const pay = { description: 'Pays', inputSchema: { type: 'object' } as const, run: async () => 'paid' };
const server = await startApi(
  {},
  { tools: { bank: { tools: { pay } } }, policy: { preset: 'careful' }, waits: { graceMs: 0 } },
);
const messages: string[] = [];
/** Statuses of the next answers of the webhook. */
const statuses: number[] = [];
const hook = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  messages.push(JSON.parse(body).text);
  const status = statuses.shift() ?? 200;
  response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
});
hook.listen(0, '127.0.0.1');
await once(hook, 'listening');
const webhook = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/secret-path`;
const warnings: string[] = [];
const logger = { info: () => undefined, warn: (fields: object) => void warnings.push(JSON.stringify(fields)) };
afterAll(async () => {
  await server.close();
  hook.close();
});
const store = memoryStore();
const start = () =>
  startNotifications({
    ...{ toolwright: server.toolwright, store, webhook, logger: partial<Logger>(logger), retryMs: [10, 10] },
    publicUrl: 'https://tools.example/tw/',
  });
const wait = async (userId: string): Promise<string> =>
  (await ask(`${server.url}/execute`, { json: { code: `return callMCPTool('bank__pay', { to: 'ann' })`, userId } }))
    .body.executionId;

test('each question is reported once, with a link and without arguments, and again after a failure', async () => {
  const early = await wait('ada');
  const first = start();
  await until(() => messages.length === 1);
  expect(messages[0]).toContain(`<https://tools.example/tw/ui/approvals?executionId=${early}&call=1|decide>`);
  expect(messages[0]).toContain('bank\u200B_\u200B_pay needs an approval (user ada)');
  expect(messages[0]).not.toContain('ann');
  await first[Symbol.asyncDispose]();
  // Another process, or the same one after a restart.
  await using _second = start();
  statuses.push(500);
  const late = await wait('bob');
  await until(() => messages.length === 3);
  expect(messages.slice(1).every((text) => text.includes(late) && !text.includes(early))).toBe(true);
  expect(warnings.join()).toContain('status 500');
  statuses.push(302);
  await wait('eve');
  await until(() => warnings.length === 2);
  expect(messages).toHaveLength(4);
  expect(warnings.join()).not.toContain('secret-path');
});

test('a question is reported once by two processes, and by the other one if its process dies meanwhile', async () => {
  const shared = memoryStore();
  const options = {
    toolwright: server.toolwright,
    webhook,
    logger: partial<Logger>(logger),
    publicUrl: 'https://tools.example/',
    claimMs: 1_000,
  };
  let isDead = false;
  const alive = <Args extends unknown[], Value>(call: (...args: Args) => Promise<Value>) => {
    return (...args: Args): Promise<Value> => (isDead ? new Promise(() => undefined) : call(...args));
  };
  const { get, put, delete: remove } = shared;
  const store = { ...shared, get: alive(get), put: alive(put), delete: alive(remove) };
  const hanging = createServer(() => undefined);
  await once(hanging.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  const before = messages.length;
  // It claims the questions, and dies while the webhook does not answer.
  const dying = startNotifications({ ...options, store, webhook: address });
  const id = await wait('mia');
  await once(hanging, 'request');
  isDead = true;
  await using _one = startNotifications({ ...options, store: shared });
  await using _two = startNotifications({ ...options, store: shared });
  await until(() => messages.slice(before).some((text) => text.includes(id)));
  await sleep(1_500);
  expect(messages.slice(before).filter((text) => text.includes(id))).toHaveLength(1);
  hanging.closeAllConnections();
  hanging.close();
  void dying;
});

test('hostile names become plain text', () => {
  const shown = { kind: 'approval' as const, call: 1, arguments: {}, binding: 'b', expiresAt: '' };
  const hostile = { ...shown, executionId: 'x', userId: '<!channel>', language: 'typescript', preview: '' };
  const text = messageText([{ ...hostile, tool: '<https://evil.example|click>\n*bold*\u202E' }], 'http://localhost:1');
  expect(text).not.toMatch(/<!|<https:\/\/evil|\n\*bold|\u202E/);
  expect(text.split('\n')).toHaveLength(2);
});
