import { symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { ask, type HttpServer, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';
import { type AbuseCase, type Facts, post, request } from './abuse.ts';
import { BODY_CASES } from './body-cases.ts';
import { FILE_CASES, REQUEST_CASES } from './request-cases.ts';
import { WIRE_CASES } from './wire-cases.ts';

const SECRET = 'the secret of ada';
/** Data that no client may see: stack frames, folders of this machine, data of other users. */
const LEAKS = [/\n\s+at /, /\.ts:\d+/, /node_modules/, new RegExp(process.cwd()), /\/tmp\//, new RegExp(SECRET)];
const connections = { headersMs: 1_000, requestMs: 2_000, max: 200 };
const dataDir = temporaryFolder();
let open: HttpServer;
let keyed: HttpServer;
let facts: Facts;
let session: string;

beforeAll(async () => {
  open = await startApi({ connections }, { dataDir });
  keyed = await startApi({
    connections,
    async authenticate(context, next) {
      context.set('principal', { user: 'bob', credential: 'key-of-bob' });
      await next();
    },
  });
  const { sessionId } = (await ask(`${open.url}/sessions`, { json: { userId: 'ada' } })).body;
  await ask(`${open.url}/sessions/${sessionId}/files/secret.txt?userId=ada`, { method: 'PUT', body: SECRET });
  const { taskId } = (await ask(`${open.url}/task`, { json: { task: `return "${SECRET}"`, userId: 'ada' } })).body;
  facts = { port: Number(new URL(open.url).port), session: sessionId, task: taskId };
  session = (await ask(`${open.url}/sessions`, { json: {} })).body.sessionId;
  await ask(`${open.url}/sessions/${session}/files/own.txt`, { method: 'PUT', body: 'mine' });
  symlinkSync('/etc/passwd', join(dataDir, 'sessions', session, 'workspace/link'));
});
afterAll(async () => {
  await Promise.all([open?.close(), keyed?.close()]);
});

/** Sends bytes over a new connection, and returns the complete answer. */
async function exchange(port: number, bytes: string | Buffer): Promise<{ head: string; body: string }> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => void chunks.push(chunk));
  // The server closes right after a refusal, while this client may still write.
  socket.on('error', () => undefined);
  socket.write(bytes);
  await new Promise((resolve) => socket.on('close', resolve));
  const text = Buffer.concat(chunks).toString();
  const end = text.indexOf('\r\n\r\n');
  return { head: text.slice(0, end), body: text.slice(end + 4) };
}

async function expectRefusal({ send, status, code, check, isKeyed = false }: AbuseCase): Promise<void> {
  const server = isKeyed ? keyed : open;
  const port = Number(new URL(server.url).port);
  const { head, body } = await exchange(port, send({ ...facts, port }));
  expect(`${head.split('\r\n')[0]} ${body.slice(0, 300)}`).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(LEAKS.filter((leak) => leak.test(`${head}${body}`))).toEqual([]);
  const ids = [...head.matchAll(/^x-request-id: (\S+)$/gim)].map(([, id]) => id);
  expect([head, ids.length]).toEqual([head, 1]);
  if (check) expect([head, check(head)]).toEqual([head, true]);
  if (code === undefined) return;
  expect(head).toMatch(/^content-type: application\/problem\+json$/im);
  const problem = JSON.parse(body);
  expect(problem).toMatchObject({ type: `urn:toolwright:error:${code}`, code, status });
  expect(problem.instance).toBe(ids[0]);
  expect([problem.title, problem.detail, problem.instance].every((text) => /\w/.test(text))).toBe(true);
}

describe.each([
  ['a body', BODY_CASES],
  ['a message', WIRE_CASES],
  ['a request', REQUEST_CASES],
])('%s:', (_kind, cases) => {
  test.each(cases)('$name → $status $code', expectRefusal);
});

describe('a file:', () => {
  test.each(FILE_CASES.map((row) => ({ row, name: row[0] })))('$name', async ({ row: [name, line, status, code] }) => {
    const isWrite = line.startsWith('PUT');
    const send = (given: Facts) => request(line.replace('$', session), isWrite ? { body: 'x' } : {})(given);
    await expectRefusal({ name, send, status, ...(code === undefined ? {} : { code }) });
    expect((await ask(`${open.url}/sessions/${session}/files/own.txt`)).body).toBe('mine');
  });
});

describe('a slow client', () => {
  test('gets 408 for its headers', async () => {
    const { head, body } = await exchange(facts.port, `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${facts.port}\r\nX-A`);
    expect([head.split('\r\n')[0], JSON.parse(body).code]).toEqual(['HTTP/1.1 408 Request Timeout', 'REQUEST_TIMEOUT']);
  });

  test('gets 408 for its body, also with a byte now and then', async () => {
    const socket = connect(facts.port, '127.0.0.1');
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const [whole = ''] = [post('/execute', `{"code":"${'x'.repeat(500)}"}`)(facts).toString()];
    const head = whole.slice(0, whole.indexOf('{'));
    socket.write(head);
    const drip = setInterval(() => socket.write('x'), 100);
    await new Promise((resolve) => socket.on('close', resolve));
    clearInterval(drip);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('does not affect others, also with 100 of them', async () => {
    const sockets = Array.from({ length: 100 }, () => connect(facts.port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => undefined).write('POST /execute HTTP/1.1\r\nHost: 127');
    expect((await ask(`${open.url}/health`)).status).toBe(200);
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.resume().on('close', resolve))));
    expect((await ask(`${open.url}/health`)).status).toBe(200);
  });
});

test('connections over the limit are closed, and the server accepts connections afterwards', async () => {
  const sockets = Array.from({ length: 300 }, () => connect(facts.port, '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => undefined).resume();
  await until(() => sockets.filter(({ closed }) => closed).length >= 100);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await ask(`${open.url}/health`).catch(() => undefined))?.status === 200);
});

test('60 aborted requests leave nothing behind', async () => {
  const bytes = post('/execute', '{"code":"await sleep(20000)"}')(facts);
  for (let batch = 0; batch < 3; batch++) {
    const sockets = Array.from({ length: 20 }, () => connect(facts.port, '127.0.0.1', () => undefined));
    for (const socket of sockets) socket.on('error', () => undefined).write(bytes);
    await sleep(20);
    for (const socket of sockets) socket.destroy();
  }
  await until(() => open.admission.running === 0);
  expect((await ask(`${open.url}/execute`, { json: { code: 'return 1' } })).body.value).toBe(1);
});

test('there are at least 60 cases, and no secret was logged', () => {
  expect(BODY_CASES.length + WIRE_CASES.length + REQUEST_CASES.length + FILE_CASES.length).toBeGreaterThanOrEqual(60);
  expect([...open.logged, ...keyed.logged].filter((line) => line.includes(SECRET))).toEqual([]);
  expect([...open.logged, ...keyed.logged].filter((line) => line.includes('internal error'))).toEqual([]);
});
