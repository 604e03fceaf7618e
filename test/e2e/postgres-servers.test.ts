import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { startHttp } from '../fixtures/mcp-clients.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';

const WAIT_MS = 30_000;

needsPostgres.describe('servers with one database', () => {
  let postgres: TestPostgres;
  const running: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    for (const stop of running) await stop();
    await postgres?.stop();
  });

  it('accept the same API keys, also those created later, and survive a restart of PostgreSQL', async () => {
    const store = await postgres.create();
    const desks = [openDesk({}), openDesk({})];
    const keys = { TOOLWRIGHT_STORE: store, TOOLWRIGHT_MASTER_KEY: randomBytes(32).toString('base64') };
    for (const { env } of desks) Object.assign(env, keys);
    const keyOf = async (user: string) => {
      const { out } = (await desks[0]?.run(['keys', 'create', '--user', user, '--json'])) ?? { out: '' };
      return { headers: { authorization: `Bearer ${JSON.parse(out).key}` } };
    };
    const ada = await keyOf('ada');
    const servers = await Promise.all(desks.map((desk) => startHttp(desk, ['--sandbox', 'quickjs'])));
    for (const { stop } of servers) running.push(stop);
    const executions = (key: object) =>
      Promise.all(
        servers.map(async ({ url }) => {
          const { status, body } = await ask(url.replace(/mcp$/, 'execute'), {
            ...key,
            json: { code: 'return 6 * 7' },
          });
          return [status, body.value];
        }),
      );
    const both = [
      [200, 42],
      [200, 42],
    ];
    expect(await executions(ada)).toEqual(both);
    expect(await executions({})).toEqual([
      [401, undefined],
      [401, undefined],
    ]);
    expect(await executions(await keyOf('bob'))).toEqual(both);
    await postgres.kill();
    expect((await executions(ada)).map(([status]) => status)).toEqual([503, 503]);
    await postgres.restart();
    await expect.poll(() => executions(ada), { timeout: WAIT_MS }).toEqual(both);
  });
});
