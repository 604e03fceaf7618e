import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { postgresStore } from '../../packages/storage/src/postgres.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { type Member, openTestCluster, type TestCluster } from '../fixtures/cluster.ts';
import { ask } from '../fixtures/http-server.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { needsRedis, startRedis, type TestRedis } from '../fixtures/redis.ts';
import { fixturePath, until } from '../fixtures/server.ts';

const WAIT_MS = 60_000;
const USER = 'ann.person@corp.example';
const SECRET = `marker-${randomUUID()}`;
/** A server whose tool `wait` answers when a file exists. */
const GATE = `
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve, text, tool } from ${JSON.stringify(pathToFileURL(fixturePath('rpc.mjs')).href)};
serve({
  'tools/list': () => ({ tools: [tool('wait', { name: { type: 'string' } }), tool('asked')] }),
  async 'tools/call'({ name, arguments: given }) {
    while (name === 'wait' && !existsSync(given.name)) await sleep(20);
    return text('open');
  },
});
`;
const SCRIPT = [
  { text: `I run ${SECRET}.`, code: `console.log('${SECRET}'); return '${SECRET}'` },
  { text: `{{result}} ${SECRET}` },
];

needsPostgres.describe('a Redis with a listener and a sender that is no process of the cluster', () => {
  needsRedis.describe('with a Redis', () => {
    let postgres: TestPostgres;
    let redis: TestRedis;
    let cluster: TestCluster;
    let api: Member;
    let headers: Record<string, string>;
    let log = '';
    const gates = temporaryFolder();
    /** Everything that Redis received, as text. */
    let monitored = '';
    /** The messages of each channel, as bytes. */
    const messages = new Map<string, Buffer[]>();
    const clients: Redis[] = [];
    const connect = () => {
      const client = new Redis(redis.url);
      clients.push(client);
      return client;
    };

    beforeAll(async () => {
      [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
      const store = await postgres.create();
      await using keyStore = postgresStore({ url: store });
      const { text } = await apiKeys(keyStore).create({ user: USER });
      headers = { authorization: `Bearer ${text}` };
      const monitor = await connect().monitor();
      clients.push(monitor);
      monitor.on('monitor', (_time: string, words: string[]) => {
        monitored += `${words.join(' ')}\n`;
      });
      const listener = connect();
      listener.on('pmessageBuffer', (_pattern: string, channel: Buffer, message: Buffer) => {
        const name = channel.toString();
        messages.set(name, [...(messages.get(name) ?? []), message]);
      });
      await listener.psubscribe('*');
      const [gate, script] = ['gate.mjs', 'script.json'];
      cluster = openTestCluster(
        {
          ...{ TOOLWRIGHT_STORE: store, TOOLWRIGHT_REDIS: redis.url, TOOLWRIGHT_LOG: 'warn' },
          ...{ TOOLWRIGHT_MASTER_KEY: randomBytes(32).toString('hex'), LLM_MODEL: `scripted/${script}` },
        },
        {
          settings: {
            mcpServers: { gate: { command: process.execPath, args: [gate] } },
            policy: { rules: [{ tools: 'gate__asked', action: 'ask' }] },
            waits: { graceMs: 0 },
          },
          files: { [gate]: GATE, [script]: SCRIPT },
          onLog: (text) => {
            log += text;
          },
        },
      );
      [api] = await Promise.all([cluster.start('api'), cluster.start('worker'), cluster.start('worker')]);
    });
    afterAll(async () => {
      for (const client of clients) client.disconnect();
      await cluster?.stop();
      await Promise.all([postgres?.stop(), redis?.stop()]);
    });

    const post = (path: string, json: object, more: Record<string, string> = {}) =>
      ask(`${api.url}${path}`, { json, headers: { ...headers, ...more } });
    const get = async (path: string) => (await ask(`${api.url}${path}`, { headers })).body;
    const begin = async (code: string): Promise<string> =>
      (await post('/execute', { code, check: false }, { prefer: 'respond-async' })).body.executionId;
    const openGate = (name: string) => writeFileSync(join(gates, name), '');
    const waits = (name: string) =>
      `console.log('${SECRET}'); progress({ now: '${SECRET}' }); await callMCPTool('gate__wait', { name: ${JSON.stringify(join(gates, name))} }); return '${SECRET}'`;
    const hasStatus = async (id: string, status: string) => (await get(`/executions/${id}`)).status === status;
    const isCalling = async (id: string) => (await get(`/executions/${id}/calls`)).calls?.length > 0;

    it('sees nothing in clear, and changes nothing', async () => {
      // One work of each kind: a result, a cancel, a decision, a task, and a follower of all.
      const following = new AbortController();
      let followed = '';
      const follow = async () => {
        const options = { headers: { ...headers, accept: 'text/event-stream' }, signal: following.signal };
        const { body } = await fetch(`${api.url}/executions/events`, options);
        for await (const chunk of body ?? []) followed += Buffer.from(chunk).toString();
      };
      // The test ends the stream.
      const ended = follow().catch(() => undefined);
      const done = (await post('/execute', { code: `return '${SECRET}'`, check: false })).body;
      expect(done).toMatchObject({ status: 'completed', value: SECRET });
      const cancelled = await begin(waits('never'));
      await until(() => isCalling(cancelled), WAIT_MS);
      await post(`/executions/${cancelled}/cancel`, {});
      await until(() => hasStatus(cancelled, 'cancelled'), WAIT_MS);
      const asked = await begin(`return callMCPTool('gate__asked', {})`);
      await until(() => hasStatus(asked, 'suspended'), WAIT_MS);
      await post(`/executions/${asked}/decisions`, { action: 'approve' });
      await until(() => hasStatus(asked, 'completed'), WAIT_MS);
      const task = (await post('/task', { task: `Do ${SECRET}.` })).body;
      expect(task).toMatchObject({ status: 'completed' });

      const running = await begin(waits('late'));
      await until(() => isCalling(running), WAIT_MS);
      const before = log;
      const attacker = connect();
      const channels = new Set([...messages.keys(), ...((await attacker.pubsub('CHANNELS', '*')) as string[])]);
      const all = [...messages.values()].flat();
      expect([channels.size, all.length > 20]).toEqual([expect.any(Number), true]);
      expect(channels.size).toBeGreaterThan(6);
      const clear = [
        running,
        `[${JSON.stringify({ executionId: running, userId: USER, calls: [{ number: 1, tool: 'x__forged' }] })}]`,
      ];
      // The test alone listens there.
      const names = ['work.cancel', 'execution-cancels', 'execution-calls', 'task-cancel', `task:${task.taskId}`];
      for (const name of names)
        for (const text of clear) expect(await attacker.publish(`toolwright:${name}`, text)).toBe(1);
      const other = randomBytes(200);
      for (const channel of channels) {
        const own = messages.get(channel) ?? [];
        const altered = own
          .slice(0, 3)
          .map((message) => Buffer.from(message.map((byte, index) => (index === 40 ? byte ^ 1 : byte))));
        const moved = all.filter((message) => !own.includes(message)).slice(0, 20);
        for (const message of [...clear, other, ...altered, ...own, ...moved]) await attacker.publish(channel, message);
      }
      expect(await hasStatus(running, 'running')).toBe(true);
      openGate('late');
      await until(() => hasStatus(running, 'completed'), WAIT_MS);
      // Each process has two buses, and each logs a reason once.
      const REFUSED = /refused a message to the cluster: [^"]+/g;
      await until(() => new Set(log.match(REFUSED)).size >= 2, WAIT_MS);
      const refused = log.match(REFUSED) ?? [];
      expect(before).not.toMatch(REFUSED);
      for (const reason of new Set(refused))
        expect([reason, refused.filter((line) => line === reason).length <= 6]).toEqual([reason, true]);
      following.abort();
      await ended;
      expect(followed).toContain(running);
      expect(followed).not.toContain('x__forged');

      const own = monitored
        .split('\n')
        .filter((line) => !/^publish toolwright:(work\.cancel|execution-|task)/.test(line));
      const sent = own.filter((line) => !clear.some((text) => line.includes(text))).join('\n');
      const ids = [done.executionId, cancelled, asked, running, task.taskId, task.sessionId, done.sessionId];
      const topics = ['work.cancel', 'work.to', 'execution-', 'task'];
      for (const text of [SECRET, USER, 'ann.person', 'gate', '127.0.0.1', ...ids.filter(Boolean), ...topics])
        expect([text, sent.includes(text)]).toEqual([text, false]);
    });
  });
});
