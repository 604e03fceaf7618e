import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from '../../packages/core/src/config/command.ts';
import { postgresStore } from '../../packages/storage/src/postgres.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';

/** Milliseconds of a failed start. */
const MOST_MS = 60_000;

// A supervisor starts a process again only when it has ended.
needsPostgres.describe('a process that cannot start', () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  });
  afterAll(() => Promise.all([postgres?.stop(), redis?.stop()]));

  async function serve(role: string, store: string) {
    const { cli, folder, env } = openDesk();
    // Each database has a Redis of its own.
    await redis.flush();
    const child = spawn(process.execPath, [cli, 'serve', '--role', role, '--port', '0'], {
      cwd: folder,
      env: {
        ...env,
        TOOLWRIGHT_STORE: store,
        TOOLWRIGHT_REDIS: redis.url,
        TOOLWRIGHT_MASTER_KEY: randomBytes(32).toString('hex'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: MOST_MS,
      killSignal: 'SIGKILL',
    });
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { code, errors };
  }

  it.each(['api', 'worker', 'all'])(
    '%s: ends after an error of the database in the middle of the start',
    async (role) => {
      const store = await postgres.create();
      await using created = postgresStore({ url: store });
      await created.get('any', ['key']);
      postgres.sql(store, 'alter table toolwright.entries rename to moved');
      const { code, errors } = await serve(role, store);
      expect(errors).toMatch(/PostgreSQL at .* failed: relation "toolwright.entries" does not exist/);
      expect(code).toBe(EXIT.defect);
    },
  );

  it('ends when no database answers', async () => {
    const store = await postgres.create();
    await postgres.kill();
    const { code, errors } = await serve('all', store);
    expect(errors).toMatch(/PostgreSQL at .* failed/);
    expect(code).toBe(EXIT.defect);
  });
});
