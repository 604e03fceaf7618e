import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresStore } from '../../packages/core/src/stores/postgres.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';

const BUILT = fileURLToPath(new URL('../../packages/core/build/', import.meta.url));
const MINUTE_MS = 60_000;
const ROUNDS = 8;

/** Runs a program in a process whose clock differs by some milliseconds. `store` is in scope, and `sealedCredentials`. */
async function withClock(skewMs: number, url: string, program: string): Promise<string> {
  const source = `
    const now = Date.now;
    const Real = Date;
    globalThis.Date = class extends Real { constructor(...given) { super(...(given.length === 0 ? [Date.now()] : given)); } };
    Date.now = () => now() + ${skewMs};
    const { postgresStore } = await import(${JSON.stringify(`${BUILT}stores/postgres.js`)});
    const { sealedCredentials } = await import(${JSON.stringify(`${BUILT}sealed-credentials.js`)});
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

needsPostgres.describe('machines whose clocks differ by 5 minutes', () => {
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
