import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { startHttp } from '../fixtures/mcp-clients.ts';
import type { AbuseCase, Facts } from './abuse.ts';
import { BODY_CASES } from './body-cases.ts';
import { REQUEST_CASES } from './request-cases.ts';

const MAX_GROWTH_MIB = 50;
/** The first rounds load code and fill caches. */
const WARM_UP_ROUNDS = 2;
const ROUNDS = 3;
const CASES = [...BODY_CASES, ...REQUEST_CASES].filter(({ isKeyed }) => !isKeyed);
const AT_ONCE = 8;
/** A request that waits for its server is cut off, which is an abuse too. */
const CUT_OFF_MS = 2_000;
/** Collects the garbage of the server, which then gives free memory back to the system. */
const COLLECT_ON_SIGNAL = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => collect());`;

function send({ send: bytesOf }: AbuseCase, facts: Facts): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(facts.port, '127.0.0.1');
    const late = setTimeout(() => socket.destroy(), CUT_OFF_MS);
    socket.on('error', () => undefined).resume();
    socket.once('close', () => {
      clearTimeout(late);
      resolve();
    });
    socket.write(bytesOf(facts));
  });
}

async function sendAll(facts: Facts): Promise<void> {
  const left = [...CASES];
  const work = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await send(next, facts);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Returns the least resident memory of several looks, each after a collection of garbage. */
async function residentMib(pid: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 5; look++) {
    process.kill(pid, 'SIGUSR2');
    await sleep(500);
    const kib = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    least = Math.min(least, kib / 1024);
  }
  return least;
}

test.skipIf(!existsSync('/proc/self/status'))(
  'hostile requests leave no memory behind',
  async () => {
    const desk = openDesk();
    const options = `--import=data:text/javascript,${encodeURIComponent(COLLECT_ON_SIGNAL)}`;
    const server = await startHttp({ ...desk, env: { ...desk.env, NODE_OPTIONS: options } });
    try {
      const facts = { port: Number(new URL(server.url).port), session: 'none', task: 'none' };
      for (let round = 0; round < WARM_UP_ROUNDS; round++) await sendAll(facts);
      const before = await residentMib(server.child.pid ?? 0);
      for (let round = 0; round < ROUNDS; round++) await sendAll(facts);
      const after = await residentMib(server.child.pid ?? 0);
      expect(after - before).toBeLessThanOrEqual(MAX_GROWTH_MIB);
      expect((await fetch(new URL('/health', server.url))).status).toBe(200);
    } finally {
      await server.stop();
    }
  },
  180_000,
);
