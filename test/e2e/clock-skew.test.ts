import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresStore } from '../../packages/storage/src/postgres.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';

const BUILT = fileURLToPath(new URL('../../packages/', import.meta.url));
const SERVER = fileURLToPath(new URL('../../packages/server/build/', import.meta.url));
const CORE = fileURLToPath(new URL('../../packages/core/dist/index.js', import.meta.url));
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ROUNDS = 8;

/** Runs a program in a process whose clock differs by some milliseconds. `store` is in scope, and `sealedCredentials`. */
async function withClock(skewMs: number, url: string, program: string): Promise<string> {
  const source = `
    const now = Date.now;
    const Real = Date;
    globalThis.Date = class extends Real { constructor(...given) { super(...(given.length === 0 ? [Date.now()] : given)); } };
    Date.now = () => now() + ${skewMs};
    const { postgresStore } = await import(${JSON.stringify(`${BUILT}storage/build/postgres.js`)});
    const { sealedCredentials } = await import(${JSON.stringify(`${BUILT}core/build/logins/sealed-credentials.js`)});
    const { createToolwright } = await import(${JSON.stringify(`${BUILT}core/build/index.js`)});
    const store = postgresStore({ url: ${JSON.stringify(url)} });
    ${program}
    await store[Symbol.asyncDispose]();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(code).toBe(0);
  return output.trim();
}

needsPostgres.describe('machines whose clocks differ by minutes', () => {
  let postgres: TestPostgres;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.create();
  });
  afterAll(() => postgres?.stop());

  it('renew a token one after the other', async () => {
    const program = `
      const credentials = sealedCredentials(store, { current: () => undefined, all: async () => [] });
      for (let round = 0; round < ${ROUNDS}; round++) {
        await credentials.exclusive({ kind: 'account', server: 's', name: 'ada' }, async () => {
          const [value] = await store.get('count', ['n']);
          await new Promise((resolve) => setTimeout(resolve, 20));
          await store.put('count', [{ key: 'n', value: String(Number(value ?? 0) + 1) }]);
        });
      }`;
    const skews = [-5 * MINUTE_MS, 0, 5 * MINUTE_MS];
    await Promise.all(skews.map((skew) => withClock(skew, url, program)));
    await using store = postgresStore({ url });
    expect((await store.get('count', ['n']))[0]?.toString()).toBe(String(skews.length * ROUNDS));
  });

  it('sleep by the clock of the database', async () => {
    const options = { dataDir: temporaryFolder(), store: url, sandbox: 'quickjs', waits: { graceMs: 100 } };
    const toolwright = `const toolwright = await createToolwright(${JSON.stringify(options)});`;
    const begin = `${toolwright}
      const { executionId, status } = await toolwright.execute('await utils.sleep(2000); return "awake"', { check: false });
      console.log(JSON.stringify({ executionId, status }));
      await toolwright.close();`;
    const begun = await Promise.all([-10, 10].map((minutes) => withClock(minutes * MINUTE_MS, url, begin)));
    const ids = begun.map((line) => {
      const { executionId, status } = JSON.parse(line);
      expect(status).toBe('suspended');
      return String(executionId);
    });
    const dueInMs = (id: string) =>
      Number(
        postgres.sql(
          url,
          `select extract(epoch from wake_at - changed_at) * 1000 from toolwright.executions where id = '${id}'`,
        ),
      );
    for (const id of ids) expect(Math.abs(dueInMs(id) - 2_000)).toBeLessThan(MINUTE_MS);
    // Another machine, whose clock is late too, continues both in time.
    const continued = `${toolwright}
      const continuing = toolwright.executions.continueExecutions();
      const ids = ${JSON.stringify(ids)};
      const statusOf = async (id) => (await toolwright.executions.get(id)).status;
      for (const end = performance.now() + ${MINUTE_MS}; performance.now() < end; ) {
        if ((await Promise.all(ids.map(statusOf))).every((status) => status === 'completed')) break;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      console.log(JSON.stringify(await Promise.all(ids.map(statusOf))));
      continuing[Symbol.dispose]();
      await toolwright.close();`;
    expect(JSON.parse(await withClock(-20 * MINUTE_MS, url, continued))).toEqual(['completed', 'completed']);
  });

  it('keep a key of a request for a day by the clock of the database', async () => {
    const once = (answer: number) => `
      const { createIdempotency } = await import(${JSON.stringify(`${SERVER}http/requests/idempotency/idempotency.js`)});
      // The store of the package that the server uses.
      const { postgresStore: openStore } = await import(${JSON.stringify(CORE)});
      const shared = openStore({ url: ${JSON.stringify(url)} });
      const keys = createIdempotency({ store: shared, dataDir: '/one', logger: { error: console.error } });
      const request = { user: 'ada', key: 'k', request: [], meanwhile: 'refuse', isStored: true };
      const rest = { mayHaveEffects: () => false, recover: async () => 'unknown' };
      const { value } = await keys.once({ ...request, ...rest }, async () => ${answer});
      keys.close();
      await shared[Symbol.asyncDispose]();
      console.log(value);`;
    expect(await withClock(0, url, once(1))).toBe('1');
    for (const skew of [2 * DAY_MS, -2 * DAY_MS]) expect(await withClock(skew, url, once(2))).toBe('1');
  });

  it('see lifetimes by the clock of the database', async () => {
    await using store = postgresStore({ url });
    await withClock(
      -5 * MINUTE_MS,
      url,
      `await store.put('slow', [{ key: 'a', value: '1' }], { maxMs: ${MINUTE_MS} });`,
    );
    await withClock(5 * MINUTE_MS, url, `await store.put('fast', [{ key: 'a', value: '1' }], { maxMs: 300 });`);
    const alive = `console.log((await store.get('slow', ['a'])).filter(Boolean).length);`;
    for (const skew of [-5 * MINUTE_MS, 5 * MINUTE_MS]) expect(await withClock(skew, url, alive)).toBe('1');
    await sleep(300);
    expect(await store.get('fast', ['a'])).toEqual([undefined]);
  });
});
