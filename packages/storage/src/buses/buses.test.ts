import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../test/fixtures/postgres.ts';
import { needsRedis, startRedis, type TestRedis } from '../../../../test/fixtures/redis.ts';
import { busCases, runBusCase } from '../../../../test/suites/buses.ts';
import { keyedName } from '../data-folder/integrity.ts';
import { openSqlite } from '../sqlite/database.ts';
import { openDriver } from '../sqlite/sqlite-driver.ts';
import type { Bus } from './bus.ts';
import { memoryBus } from './memory.ts';
import { postgresBus } from './postgres.ts';
import { redisBus } from './redis.ts';
import { sqliteBus } from './sqlite.ts';

async function reaches(bus: Bus, message: string, seen: readonly string[]): Promise<void> {
  const publish = () => {
    bus.publish('topic', message);
    return seen;
  };
  await expect.poll(publish, { timeout: 10_000 }).toContain(message);
}

describe('memory', () => {
  it.for(busCases)('$name', (testCase) => {
    const bus = memoryBus();
    return runBusCase(async () => ({ bus, other: bus }), testCase);
  });
});

describe('sqlite', () => {
  const open = (path = join(temporaryFolder(), 'state.db')) => {
    const database = openSqlite(path);
    onTestFinished(() => database[Symbol.asyncDispose]());
    return { path, database, bus: sqliteBus(database) };
  };

  it.for(busCases)('$name', (testCase) => {
    const { path, bus } = open();
    return runBusCase(async () => ({ bus, other: open(path).bus }), testCase);
  });

  it('reports each change by another process as lost messages', async () => {
    const { path, database, bus } = open();
    await database.read('select 1');
    const driver = openDriver(path);
    let gaps = 0;
    const end = bus.onGap(() => gaps++);
    for (let change = 1; change <= 3; change++) {
      await expect.poll(() => gaps).toBe(change);
      driver.exec(`insert into task_lines values ('a', ${change}, '')`);
    }
    await expect.poll(() => gaps).toBe(4);
    end();
    await bus[Symbol.asyncDispose]();
    driver.close();
  });
});

needsRedis.describe('redis', () => {
  let redis: TestRedis;
  const sealing = { key: randomBytes(32), logger: { warn: () => undefined } };
  const open = (prefix?: string) => redisBus({ url: redis.url, ...sealing, ...(prefix ? { prefix } : {}) });
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());

  it.for(busCases)('$name', (testCase) =>
    runBusCase(async () => ({ bus: await open(), other: await open() }), testCase),
  );

  it('keeps clusters with different prefixes apart, and subscribes again after a restart of the server', async () => {
    await using bus = await open('blue:');
    await using green = await open('green:');
    const seen: string[] = [];
    let gaps = 0;
    bus.subscribe('topic', (message) => seen.push(message));
    bus.onGap(() => gaps++);
    green.publish('topic', 'of another cluster');
    await reaches(bus, 'first', seen);
    await redis.restart();
    await reaches(bus, 'second', seen);
    expect([gaps > 0, seen.includes('of another cluster')]).toEqual([true, false]);
  });
});

needsPostgres.describe('postgres', () => {
  let postgres: TestPostgres;
  let url: string;
  const sealing = { key: randomBytes(32), logger: { warn: () => undefined } };
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.create();
  });
  afterAll(() => postgres?.stop());

  /** Opens two buses that share no connection, as in two processes. */
  const open = async () => ({
    bus: postgresBus({ url, ...sealing }),
    other: postgresBus({ url: `${url}&cluster=toolwright`, ...sealing }),
  });
  const LISTENERS = `from pg_stat_activity where application_name = 'toolwright listener' and datname = current_database()`;

  it.for(busCases)('$name', (testCase) => runBusCase(open, testCase));

  it('carries messages of any size up to 700 kB, whole and in their order', async () => {
    const { bus, other } = await open();
    await using _bus = bus;
    await using _other = other;
    const seen: string[] = [];
    other.subscribe('topic', (message) => seen.push(message));
    await reaches(bus, 'first', seen);
    seen.length = 0;
    const sent = [1, 5_800, 6_000, 70_000, 700_000, 1].map((size, index) => String(index).repeat(size));
    for (const message of sent) bus.publish('topic', message);
    bus.publish('topic', 'x'.repeat(2_000_000));
    await reaches(bus, 'last', seen);
    expect(seen.filter((message) => message !== 'first' && message !== 'last')).toEqual(sent);
  });

  it('does not mix the parts of messages that two processes send at once', async () => {
    const { bus, other } = await open();
    await using _bus = bus;
    await using _other = other;
    const seen: string[] = [];
    bus.subscribe('topic', (message) => seen.push(message));
    await reaches(bus, 'first', seen);
    await reaches(other, 'second', seen);
    const sent = Array.from({ length: 60 }, (_, index) => String(index % 10).repeat(20_000 + index));
    for (const [index, message] of sent.entries()) (index % 2 === 0 ? bus : other).publish('topic', message);
    await expect.poll(() => new Set(seen).size, { timeout: 20_000 }).toBe(sent.length + 2);
    expect(new Set(seen)).toEqual(new Set([...sent, 'first', 'second']));
  });

  it('listens again and reports a gap after its connection ended, and after a restart of the server', async () => {
    const { bus, other } = await open();
    await using _bus = bus;
    await using _other = other;
    const seen: string[] = [];
    let gaps = 0;
    bus.subscribe('topic', (message) => seen.push(message));
    bus.onGap(() => gaps++);
    await reaches(other, 'first', seen);
    expect(postgres.sql(url, `select count(*) ${LISTENERS}`)).toBe('1');
    postgres.sql(url, `select pg_terminate_backend(pid) ${LISTENERS}`);
    await reaches(other, 'second', seen);
    expect(gaps).toBe(1);
    await postgres.restart();
    await reaches(other, 'third', seen);
    expect(gaps).toBe(2);
  });

  it('refuses forged notifications, and delivers the next message', async () => {
    const { bus, other } = await open();
    await using _bus = bus;
    await using _other = other;
    const seen: string[] = [];
    bus.subscribe('topic', (message) => seen.push(message));
    await reaches(other, 'first', seen);
    const channel = `toolwright_${keyedName(sealing.key, 'topic')}`;
    for (const payload of ['', '.', `.${Buffer.from('forged').toString('base64')}`, '+'.repeat(7_000)])
      postgres.sql(url, `select pg_notify('${channel}', '${payload}')`);
    await reaches(other, 'second', seen);
    expect(new Set(seen)).toEqual(new Set(['first', 'second']));
  });
});
