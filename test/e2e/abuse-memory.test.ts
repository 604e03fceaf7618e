import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { startHttp } from '../fixtures/mcp-clients.ts';
import { until } from '../fixtures/server.ts';
import type { AbuseCase } from '../http/abuse.ts';
import { BODY_CASES } from '../http/body-cases.ts';
import { REQUEST_CASES } from '../http/request-cases.ts';
import { WIRE_CASES } from '../http/wire-cases.ts';

const ALLOWED_GROWTH_MIB = 50;
const ROUNDS = 3;
const REST_MS = 3_000;

const server = await startHttp(openDesk());
const port = Number(new URL(server.url).port);
const base = `http://127.0.0.1:${port}`;
afterAll(() => server.stop());

/** Returns the resident memory of a process in MiB. */
function memoryOf(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function exchange(bytes: string | Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  socket.write(bytes);
  return new Promise((resolve) => socket.on('close', () => resolve()));
}

async function abuse(cases: readonly AbuseCase[]): Promise<void> {
  const facts = { port, session: 'none', task: 'none' };
  for (const { send } of cases) await Promise.race([exchange(send(facts)), sleep(5_000)]);
}

async function pipeline(): Promise<void> {
  const line = `GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').pause());
  for (const socket of sockets) socket.on('error', () => undefined).write(line.repeat(2_000));
  await sleep(1_000);
  for (const socket of sockets) socket.destroy();
}

async function cancel(): Promise<void> {
  const body = JSON.stringify({ code: 'await utils.sleep(20_000)', check: false });
  const head = `POST /execute HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
  const sockets = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => undefined).resume();
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  }
  await sleep(1_000);
  for (const socket of sockets) socket.destroy();
  for (let running = 1; running > 0; ) {
    await sleep(100);
    ({ running } = (await ask(`${base}/health`)).body);
  }
}

test('after the abuse, the server uses at most 50 MiB more memory', async () => {
  expect((await ask(`${base}/execute`, { json: { code: 'return 1' } })).body.value).toBe(1);
  await sleep(REST_MS);
  const before = memoryOf(server.child.pid);
  for (let round = 0; round < ROUNDS; round++) {
    for (const cases of [BODY_CASES, WIRE_CASES, REQUEST_CASES]) await abuse(cases);
    await pipeline();
    await cancel();
  }
  // V8 returns memory some time after the load. It needs some allocations for that.
  await until(async () => {
    for (let request = 0; request < 20; request++) await ask(`${base}/health`);
    await sleep(500);
    return memoryOf(server.child.pid) < before + ALLOWED_GROWTH_MIB;
  }, 90_000);
}, 300_000);
