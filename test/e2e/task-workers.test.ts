import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { DecideRequest } from '../../packages/core/src/execution/questions/decide.ts';
import type { TaskEvent } from '../../packages/server/src/agent/task.ts';
import { scriptedModel } from '../../packages/server/src/models/scripted.ts';
import { openBus } from '../../packages/storage/src/buses/open.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { needsRedis, startRedis, type TestRedis } from '../fixtures/redis.ts';
import { until } from '../fixtures/server.ts';
import { eventsOf, eventsOfNow, taskDesks } from '../fixtures/tasks.ts';

const program = fileURLToPath(new URL('../fixtures/task-worker.mjs', import.meta.url));
const TIMEOUT_MS = 120_000;
/** A program that notes every 100 ms, and so is between two notes most of the time. */
const CODE = `for (let count = 0; count < 60; count++) {
  await callMCPTool('desk__note', { text: 'note ' + count });
  await new Promise((resolve) => setTimeout(resolve, 100));
}
return 'noted'`;
const openDesk = taskDesks();

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

needsPostgres.describe('workers of a cluster', () => {
  needsRedis.describe('with a Redis', () => {
    let postgres: TestPostgres;
    let redis: TestRedis;
    beforeAll(async () => {
      // The processes of a cluster have one master key.
      vi.stubEnv('TOOLWRIGHT_MASTER_KEY', randomBytes(32).toString('hex'));
      [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    });
    afterAll(async () => {
      vi.unstubAllEnvs();
      await Promise.all([postgres?.stop(), redis?.stop()]);
    });

    /** Opens a process that accepts tasks, and starts workers. */
    async function openCluster(code = CODE) {
      const [dataDir, store] = [temporaryFolder(), await postgres.create()];
      const [script, effects] = [join(dataDir, 'script.json'), join(dataDir, 'effects.txt')];
      writeFileSync(script, JSON.stringify([{ text: 'I note.', code }, { text: '{{result}}' }]));
      const bus = await openBus({ redis: redis.url, store, dataDir, logger: { warn: vi.fn() } });
      const api = await openDesk(scriptedModel([{ text: 'unused' }], { name: script }), {
        dataDir,
        store,
        bus,
        submit: async () => undefined,
      });
      const start = async () => {
        const args = [program, dataDir, store, redis.url, script, effects];
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
        running.push(child);
        const lines: string[] = [];
        createInterface({ input: child.stdout }).on('line', (line) => void lines.push(line));
        await until(() => lines.length > 0, 30_000);
        return { child, lines };
      };
      const notes = () =>
        existsSync(effects)
          ? readFileSync(effects, 'utf8')
              .trimEnd()
              .split('\n')
              .map((line) => line.split(' '))
          : [];
      return { api, bus, start, notes };
    }

    /** Decides about a call whose worker died before it stored the answer, as a person who looks for its effect. */
    const decideUnknown = async ({ api, notes }: Awaited<ReturnType<typeof openCluster>>, signal: AbortSignal) => {
      const { executions } = api.toolwright;
      while (!signal.aborted) {
        for (const { id } of (await executions.find({ hasQuestions: true })).executions) {
          for (const { call, arguments: args } of await executions.questions(id)) {
            const isMade = notes().some(([, , count]) => Object(args).text === `note ${count}`);
            const decision = isMade ? { action: 'result', value: null } : { action: 'resend' };
            await executions.decide(id, { calls: [call], ...decision } as DecideRequest).catch(() => undefined);
          }
        }
        await sleep(200);
      }
    };
    /** Returns the statuses, without those of a call that had been sent when its worker died. */
    const statuses = (events: readonly TaskEvent[]) => {
      const all = events.flatMap((event) =>
        event.type === 'status' ? [event.status] : event.type === 'end' ? ['end'] : [],
      );
      return all.filter((status, index) => status !== 'waiting' && all[index - 1] !== 'waiting');
    };
    const ALL_NOTES = Array.from({ length: 60 }, (_, count) => String(count));

    test(
      'after kill -9, another worker continues the task, and no effect is doubled',
      async () => {
        const cluster = await openCluster();
        const { api, bus, start, notes } = cluster;
        const ended = new AbortController();
        const deciding = decideUnknown(cluster, ended.signal);
        const [first, second] = [await start(), await start()];
        const task = await api.tasks.start({ task: 'Note.' });
        const following = eventsOf(api.tasks, task);
        await until(() => notes().length > 5);
        const owner = [first, second].find(({ child }) => String(child.pid) === notes()[0]?.[0]);
        owner?.child.kill('SIGKILL');
        const events = await following;
        ended.abort();
        await deciding;
        expect(await api.tasks.get(task.id)).toMatchObject({ status: 'completed', answer: 'noted' });
        expect(statuses(events)).toEqual(['queued', 'running', 'interrupted', 'queued', 'running', 'end']);
        expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
        expect(notes().map(([, , count]) => count)).toEqual(ALL_NOTES);
        expect(new Set(notes().map(([pid]) => pid)).size).toBe(2);
        await bus[Symbol.asyncDispose]();
      },
      TIMEOUT_MS,
    );

    test(
      'a task whose call has an unknown outcome reports that it waits, with any of its workers',
      async () => {
        const code = `return callMCPTool('desk__hold', { text: '[EMAIL_1]' })`;
        const { api, bus, start, notes } = await openCluster(code);
        const first = await start();
        const { id } = await api.tasks.start({ task: 'Hold for a@b.example.' });
        await until(() => notes().length === 1, 30_000);
        first.child.kill('SIGKILL');
        const second = await start();
        const isWaiting = async () => (await api.tasks.get(id)).status === 'waiting';
        await until(isWaiting, 60_000);
        const { pending } = await api.tasks.get(id);
        const question = { kind: 'outcome', tool: 'desk__hold', call: 1, arguments: { text: '[EMAIL_1]' } };
        expect(pending).toMatchObject([{ executionId: expect.any(String), ...question }]);
        second.child.kill('SIGKILL');
        expect(await api.tasks.get(id)).toMatchObject({ status: 'waiting', pending });
        await start();
        // A worker reports the questions when they are asked, and again when the execution is suspended.
        const isReportedAgain = async () => {
          const events = await eventsOfNow(api.tasks, id);
          const interrupted = events.filter((event) => event.type === 'status' && event.status === 'interrupted');
          const since = interrupted[1]?.number ?? Number.POSITIVE_INFINITY;
          return events.some((event) => event.type === 'waiting' && event.number > since);
        };
        await until(async () => (await isReportedAgain()) && (await isWaiting()), 60_000);
        const executionId = String(pending?.[0]?.executionId);
        await api.toolwright.executions.decide(executionId, { action: 'result', value: 'it happened' });
        const ended = await api.tasks.ended(id);
        expect([ended.status, ended.answer, 'pending' in ended]).toEqual(['completed', 'it happened', false]);
        expect(notes().map(([, text]) => text)).toEqual(['a@b.example']);
        await bus[Symbol.asyncDispose]();
      },
      TIMEOUT_MS,
    );

    test(
      'a worker that was paused longer than its lease calls no tool and writes nothing after it continues',
      async () => {
        const cluster = await openCluster();
        const { api, bus, start, notes } = cluster;
        const deciding = new AbortController();
        const decided = decideUnknown(cluster, deciding.signal);
        const paused = await start();
        const task = await api.tasks.start({ task: 'Note.' });
        await until(() => notes().length > 5);
        paused.child.kill('SIGSTOP');
        await start();
        const ended = await api.tasks.ended(task.id);
        deciding.abort();
        await decided;
        expect(ended.status).toBe('completed');
        const [before, events] = [notes(), await eventsOf(api.tasks, task)];
        paused.child.kill('SIGCONT');
        await until(() => paused.lines.some((line) => line.includes('"outcome":"TASK_TAKEN_OVER"')), 30_000);
        paused.child.kill('SIGKILL');
        await once(paused.child, 'exit');
        expect([notes(), await eventsOf(api.tasks, task), await api.tasks.get(task.id)]).toEqual([
          before,
          events,
          ended,
        ]);
        expect(before.map(([, , count]) => count)).toEqual(ALL_NOTES);
        await bus[Symbol.asyncDispose]();
      },
      TIMEOUT_MS,
    );
  });
});
