import { Hono } from 'hono';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHono } from '../../../test/fixtures/hono-server.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../test/fixtures/postgres.ts';
import { needsRedis, startRedis, type TestRedis } from '../../../test/fixtures/redis.ts';
import { failureOf } from '../../../test/fixtures/server.ts';
import { DEFAULT_RATE_LIMITS, type RateLimitSettings } from '../../core/src/config/sections/rate-limits.ts';
import { openPostgres } from '../../storage/src/postgres/connection.ts';
import { memoryStore } from '../../storage/src/store.ts';
import { LOCAL_PRINCIPAL, type Principal, type PrincipalEnv } from './principal.ts';
import type { SharedWindows } from './rate-limit/windows.ts';
import { rateLimiter, tokenBudget } from './rate-limit.ts';

const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

type Wanted = { readonly [K in keyof RateLimitSettings]?: Partial<RateLimitSettings[K]> };
const quotas = ({ user, key, address }: Wanted): RateLimitSettings => ({
  address: { ...DEFAULT_RATE_LIMITS.address, ...address },
  user: { ...DEFAULT_RATE_LIMITS.user, ...user },
  key: { ...DEFAULT_RATE_LIMITS.key, ...key },
});

/** Starts a server that trusts the user and key in the headers, with the limits under test. */
async function start(settings: RateLimitSettings, shared: SharedWindows = {}) {
  const limiter = rateLimiter({ settings, store: memoryStore(), ...shared });
  const app = new Hono<PrincipalEnv>();
  app.use('*', async ({ req, set }, next) => {
    set('principal', { user: req.header('user') ?? 'local', credential: req.header('key') ?? 'local' });
    await next();
  });
  app.use('*', limiter.requests);
  app.get('/', (context) => context.text('here'));
  const { url, stop } = await serveHono(app);
  stops.push(stop);
  return async (user: string, key: string) => {
    const response = await fetch(url, { headers: { user, key } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

const ada: Principal = { user: 'ada', credential: 'key:1' };
const adaToo: Principal = { user: 'ada', credential: 'key:2' };
const bob: Principal = { user: 'bob', credential: 'key:3' };

describe('requests', () => {
  it('are counted by user and reported in the headers of the draft', async () => {
    const get = await start(quotas({ user: { requestsPerMinute: 2 } }));
    const first = await get('ada', 'key:1');
    expect([first.status, first.text]).toEqual([200, 'here']);
    expect(first.headers.get('ratelimit-policy')).toBe('"user";q=2;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"user";r=1;t=(60|5\d)$/);
    expect((await get('ada', 'key:2')).status).toBe(200);
    const over = await get('ada', 'key:1');
    expect([over.status, over.headers.get('content-type')]).toEqual([429, 'application/problem+json']);
    expect(over.headers.get('ratelimit')).toMatch(/^"user";r=0;t=\d+$/);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(over.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(JSON.parse(over.text)).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      status: 429,
      code: 'QUOTA_EXCEEDED',
    });
    expect((await get('bob', 'key:3')).status).toBe(200);
  });

  it('are counted by key too, when configured', async () => {
    const get = await start(quotas({ user: { requestsPerMinute: 3 }, key: { requestsPerMinute: 1 } }));
    expect((await get('ada', 'key:1')).headers.get('ratelimit-policy')).toBe('"user";q=3;w=60, "key";q=1;w=60');
    const over = await get('ada', 'key:1');
    expect([over.status, JSON.parse(over.text).detail]).toEqual([
      429,
      expect.stringMatching(/^Rate limit of this API key exceeded: 1 request/),
    ]);
    expect((await get('ada', 'key:2')).status).toBe(200);
  });

  it('have no quota on a server without keys, or with the quota 0', async () => {
    const local = await start(quotas({ user: { requestsPerMinute: 1 } }));
    const free = await start(quotas({ user: { requestsPerMinute: 0 } }));
    for (let index = 0; index < 3; index++) {
      expect((await local('local', LOCAL_PRINCIPAL.credential)).status).toBe(200);
      const { status, headers } = await free('ada', 'key:1');
      expect([status, headers.get('ratelimit')]).toEqual([200, null]);
    }
  });
});

describe('failed authentications', () => {
  const over = (promise: Promise<void>) =>
    promise.then(
      () => 200,
      ({ code, details }) => [code, details],
    );
  const refusal = ['QUOTA_EXCEEDED', expect.objectContaining({ scope: 'address', limit: 2 })];

  it.each([
    ['an address', '203.0.113.7', '203.0.113.8', '203.0.113.7'],
    ['an IPv6 subscriber with 64 bits of addresses', '2001:db8::1', '2001:db8:0:1::1', '2001:db8::ffff:2'],
    ['an IPv4 address, also in its IPv6 form', '203.0.113.7', '203.0.113.70', '::ffff:203.0.113.7'],
  ])('are counted by %s', async (_name, address, other, same) => {
    const settings = quotas({ address: { failedAuthenticationsPerMinute: 2 } });
    const { failedAuthentication } = rateLimiter({ settings, store: memoryStore() });
    const outcomes = [];
    for (const from of [address, same, address, same, other]) outcomes.push(await over(failedAuthentication(from)));
    expect(outcomes).toEqual([200, 200, refusal, refusal, 200]);
  });

  it('have no limit with the quota 0', async () => {
    const settings = quotas({ address: { failedAuthenticationsPerMinute: 0 } });
    const { failedAuthentication } = rateLimiter({ settings, store: memoryStore() });
    for (let index = 0; index < 100; index++) await failedAuthentication('203.0.113.7');
  });
});

needsRedis.describe('requests that Redis counts', () => {
  const open = async (): Promise<{ server: TestRedis; client: () => Redis }> => {
    const server = await startRedis();
    const clients: Redis[] = [];
    stops.push(async () => {
      for (const client of clients) client.disconnect();
      await server.stop();
    });
    const options = { maxRetriesPerRequest: 0, commandTimeout: 2_000, retryStrategy: () => 50 };
    return {
      server,
      client() {
        const client = new Redis(server.url, options);
        client.on('error', () => undefined);
        clients.push(client);
        return client;
      },
    };
  };

  it('are counted over all servers', async () => {
    const { client } = await open();
    const settings = quotas({ user: { requestsPerMinute: 3 } });
    const [one, two] = await Promise.all([start(settings, { redis: client() }), start(settings, { redis: client() })]);
    expect((await one('ada', 'key:1')).status).toBe(200);
    expect((await two('ada', 'key:1')).headers.get('ratelimit')).toMatch(/"user";r=1;t=\d+/);
    expect((await one('ada', 'key:1')).status).toBe(200);
    expect((await two('ada', 'key:1')).status).toBe(429);
    expect((await two('bob', 'key:3')).status).toBe(200);
  });

  it('are refused while Redis is unreachable, and counted again afterwards', async () => {
    const { server, client } = await open();
    const get = await start(quotas({}), { redis: client() });
    expect((await get('ada', 'key:1')).status).toBe(200);
    await server.kill();
    const away = await get('ada', 'key:1');
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
    expect(JSON.parse(away.text)).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(away.text).not.toContain(server.url);
    await server.restart();
    await expect.poll(async () => (await get('ada', 'key:1')).status, { timeout: 30_000 }).toBe(200);
  });
});

needsPostgres.describe('requests that PostgreSQL counts', () => {
  let server: TestPostgres;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    stops.push(server.stop);
    url = await server.create();
  });
  const database = () => {
    const opened = openPostgres({ url });
    stops.unshift(() => opened[Symbol.asyncDispose]());
    return { database: opened };
  };

  it('are counted over all servers, exactly, and again in the next window', async () => {
    const settings = quotas({ user: { requestsPerMinute: 30 } });
    const [one, two] = await Promise.all([start(settings, database()), start(settings, database())]);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? one : two)('ada', 'key:1')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    const over = await two('ada', 'key:1');
    expect([over.status, over.headers.get('ratelimit')]).toEqual([429, expect.stringMatching(/^"user";r=0;t=\d+$/)]);
    expect((await two('bob', 'key:3')).headers.get('ratelimit')).toMatch(/^"user";r=29;t=(60|5\d)$/);
    server.sql(url, `update toolwright.rate_windows set ends_at = clock_timestamp()`);
    expect((await one('ada', 'key:1')).headers.get('ratelimit')).toMatch(/^"user";r=29;t=(60|5\d)$/);
    expect(server.bytes(url).includes('ada')).toBe(false);
  });

  it('are refused while PostgreSQL is unreachable, and counted again afterwards', async () => {
    const get = await start(quotas({}), database());
    expect((await get('cleo', 'key:9')).status).toBe(200);
    await server.kill();
    const away = await get('ada', 'key:1');
    expect([away.status, JSON.parse(away.text)]).toMatchObject([503, { code: 'STORE_UNAVAILABLE' }]);
    await server.restart();
    await expect.poll(async () => (await get('ada', 'key:1')).status, { timeout: 30_000 }).toBe(200);
  });
});

describe('concurrent work', () => {
  const limiter = (wanted: Wanted) => rateLimiter({ settings: quotas(wanted), store: memoryStore() });

  it('has a limit for each user and releases its place once', async () => {
    const { enter } = limiter({ user: { concurrentExecutions: 2, concurrentTasks: 1 } });
    const leave = enter('concurrentExecutions', ada);
    enter('concurrentExecutions', adaToo);
    const failure = await failureOf((async () => enter('concurrentExecutions', ada))());
    expect(failure).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { quota: 'concurrentExecutions', retryAfterSeconds: 1 },
    });
    enter('concurrentTasks', ada);
    enter('concurrentExecutions', bob);
    leave();
    leave();
    enter('concurrentExecutions', ada);
    expect(() => enter('concurrentExecutions', ada)).toThrow(
      /Rate limit of this user exceeded: 2 concurrent executions/,
    );
  });

  it('has a limit for each key, and refused work uses no place', () => {
    const { enter } = limiter({ user: { concurrentTasks: 2 }, key: { concurrentTasks: 1 } });
    enter('concurrentTasks', ada);
    expect(() => enter('concurrentTasks', ada)).toThrow(/Rate limit of this API key exceeded: 1 concurrent tasks/);
    enter('concurrentTasks', adaToo);
    expect(() => enter('concurrentTasks', adaToo)).toThrow(/Rate limit of this user exceeded: 2 concurrent tasks/);
  });

  it('has no limit for the local user', () => {
    const { enter } = limiter({ user: { concurrentTasks: 1 } });
    for (let index = 0; index < 3; index++) enter('concurrentTasks', LOCAL_PRINCIPAL);
  });
});

describe('tokens of a day', () => {
  it('are counted by user and key over all processes until midnight UTC', async () => {
    let now = Date.parse('2026-03-01T23:59:00Z');
    const store = memoryStore();
    const settings = quotas({ user: { tokensPerDay: 100 }, key: { tokensPerDay: 80 } });
    const [one, two] = [tokenBudget(settings, store, () => now), tokenBudget(settings, store, () => now)];
    await one.check(ada);
    await one.charge(ada, 79.5);
    expect((await failureOf(two.check(ada))).details).toMatchObject({ scope: 'key', retryAfterSeconds: 60 });
    await two.check(adaToo);
    await two.charge(adaToo, 20);
    expect((await failureOf(one.check(adaToo))).details).toMatchObject({ scope: 'user', limit: 100 });
    await one.check(bob);
    now += 60_000;
    await one.check(ada);
  });

  it('are not counted for the local user, or with the quota 0', async () => {
    const limited = rateLimiter({ settings: quotas({ user: { tokensPerDay: 1 } }), store: memoryStore() });
    await limited.chargeTokens(LOCAL_PRINCIPAL, 5);
    await limited.checkTokens(LOCAL_PRINCIPAL);
    await limited.chargeTokens(ada, 5);
    expect((await failureOf(limited.checkTokens(ada))).code).toBe('QUOTA_EXCEEDED');
    const free = rateLimiter({ settings: quotas({ user: { tokensPerDay: 0 } }), store: memoryStore() });
    await free.chargeTokens(ada, 5);
    await free.checkTokens(ada);
  });
});
