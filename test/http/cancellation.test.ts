import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const USERS = ['ada', 'bob', 'carol', 'eve'];
const EACH = 250;
/**
 * Wall time was 0.3 to 0.5 s on two cores, which other work used too. Processor time of this process, server and clients together,
 * counts if it is less: other processes of a busy machine then cannot fail the test.
 */
const MAX_HELD_MS = 1_000;

const server = await startApi();
const port = Number(new URL(server.url).port);
afterAll(() => server.close());

test('cancelling 1,000 executions at once does not hold up /health, and leaves nothing behind', async () => {
  const sockets = USERS.flatMap((userId) =>
    Array.from({ length: EACH }, () => {
      const body = JSON.stringify({ code: 'await utils.sleep(19_000)', userId, check: false });
      const head = `POST /execute HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
      return socket;
    }),
  );
  await until(() => server.admission.running === USERS.length * EACH);
  let worst = 0;
  const probe = async () => {
    const [startedAt, usedBefore] = [performance.now(), process.cpuUsage()];
    expect((await ask(`${server.url}/health`)).status).toBe(200);
    const { user, system } = process.cpuUsage(usedBefore);
    worst = Math.max(worst, Math.min(performance.now() - startedAt, (user + system) / 1_000));
  };
  await probe();
  for (const socket of sockets) socket.destroy();
  await until(async () => {
    await probe();
    return server.admission.running === 0;
  }, 60_000);
  expect(worst).toBeLessThan(MAX_HELD_MS);
  const value = await ask(`${server.url}/execute`, { json: { code: 'return 1', userId: 'ada' } });
  expect(value.body.value).toBe(1);
}, 120_000);
