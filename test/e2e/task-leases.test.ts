import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { TaskEvent } from '../../packages/server/src/agent/task.ts';
import { scriptedModel } from '../../packages/server/src/models/scripted.ts';
import { openSqlite } from '../../packages/storage/src/sqlite/database.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { failureOf, until } from '../fixtures/server.ts';
import { eventsOf, taskDesks } from '../fixtures/tasks.ts';

const program = fileURLToPath(new URL('../fixtures/lease-host.mjs', import.meta.url));
const TIMEOUT_MS = 120_000;
const open = taskDesks();
const done = scriptedModel([{ text: 'done' }]);

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface Owner {
  readonly child: ChildProcess;
  readonly id: string;
  readonly effects: string;
  readonly lines: string[];
}

/** Starts a process whose task calls a tool every 100 ms. Returns after the first call. */
async function startOwner(dataDir: string): Promise<Owner> {
  const effects = join(dataDir, 'effects.txt');
  const child = spawn(process.execPath, [program, dataDir, effects], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout as NodeJS.ReadableStream & { fd?: number } });
  output.on('line', (line) => void lines.push(line));
  await until(() => lines.length > 0 && existsSync(effects));
  return { child, id: JSON.parse(lines[0] ?? '').id, effects, lines };
}

/** Follows a task from another process, without waiting for its end. */
function follow(tasks: Awaited<ReturnType<typeof open>>['tasks'], id: string): TaskEvent[] {
  const seen: TaskEvent[] = [];
  void (async () => {
    for await (const event of tasks.events(id)) seen.push(event);
  })().catch(() => undefined);
  return seen;
}

const statuses = (events: readonly TaskEvent[]) =>
  events.flatMap((event) => (event.type === 'status' ? [event.status] : event.type === 'end' ? ['end'] : []));

test(
  'after kill -9, followers receive the interruption and the resume, also from other servers',
  async () => {
    const owner = await startOwner(temporaryFolder());
    const dataDir = join(owner.effects, '..');
    const [one, two] = [await open(done, { dataDir }), await open(done, { dataDir })];
    const seen = follow(one.tasks, owner.id);
    await until(() => seen.length > 3);
    expect((await failureOf(two.tasks.resume(owner.id))).code).toBe('TASK_RUNNING');
    owner.child.kill('SIGKILL');
    await once(owner.child, 'exit');
    // One of the two servers resumes the task.
    await until(() => statuses(seen).includes('end'));
    expect(statuses(seen)).toEqual(['queued', 'running', 'interrupted', 'queued', 'running', 'end']);
    expect(seen.map(({ number }) => number)).toEqual(seen.map((_, index) => index + 1));
    await using database = openSqlite(join(dataDir, 'state.db'));
    await until(
      async () => (await database.read('select id from toolwright.tasks where owner is not null')).length === 0,
    );
  },
  TIMEOUT_MS,
);

test(
  'a process that was paused longer than its lease calls no tool and writes nothing after it continues',
  async () => {
    const dataDir = temporaryFolder();
    const owner = await startOwner(dataDir);
    owner.child.kill('SIGSTOP');
    const next = await open(done, { dataDir });
    await next.tasks.resume(owner.id);
    const task = await next.tasks.ended(owner.id);
    expect(task.status).toBe('completed');
    const transcript = await next.transcript(task);
    const effects = readFileSync(owner.effects, 'utf8');
    owner.child.kill('SIGCONT');
    await until(() => owner.lines.some((line) => line.includes('TASK_TAKEN_OVER')));
    await once(owner.child, 'exit');
    expect(await next.transcript(task)).toBe(transcript);
    expect(readFileSync(owner.effects, 'utf8')).toBe(effects);
    expect(await next.tasks.get(owner.id)).toEqual(task);
    // The old owner shows its caller the outcome of the new one.
    expect(JSON.parse(owner.lines.at(-1) ?? '')).toMatchObject({ ended: { status: 'completed', answer: 'done' } });
  },
  TIMEOUT_MS,
);

test(
  'a dead owner is recognised, also when its record names this host and this process',
  async () => {
    const dataDir = temporaryFolder();
    const owner = await startOwner(dataDir);
    owner.child.kill('SIGKILL');
    await once(owner.child, 'exit');
    const host = `"host":{"name":${JSON.stringify(hostname())},"pid":${process.pid}`;
    {
      await using database = openSqlite(join(dataDir, 'state.db'));
      const find = 'select line from toolwright.task_lines where task = $1 and line like \'%"entry":"run"%\'';
      const [row] = await database.read(find, [owner.id]);
      const line = String(row?.line).replace(/"host":\{"name":"[^"]*","pid":\d+/, host);
      await database.write('update toolwright.task_lines set line = $2 where task = $1 and line = $3', [
        owner.id,
        line,
        String(row?.line),
      ]);
    }
    const next = await open(done, { dataDir });
    await until(async () => (await next.tasks.get(owner.id)).status === 'completed');
  },
  TIMEOUT_MS,
);

test(
  'a resume without its model is reported to its caller and to followers, and can be repeated',
  async () => {
    const dataDir = temporaryFolder();
    const owner = await startOwner(dataDir);
    let isThere = false;
    const models = async () => {
      if (isThere) return done;
      const { ToolwrightError } = await import('../../packages/core/src/errors.ts');
      throw new ToolwrightError('MODEL_UNAVAILABLE', 'The model is not installed. Install it.');
    };
    const next = await open(done, { dataDir, models });
    const seen = follow(next.tasks, owner.id);
    await until(() => seen.length > 3);
    owner.child.kill('SIGKILL');
    await once(owner.child, 'exit');
    expect((await failureOf(next.tasks.resume(owner.id))).code).toBe('MODEL_UNAVAILABLE');
    await until(() => seen.some(({ type }) => type === 'resume-failed'));
    expect(seen.at(-1)).toMatchObject({ type: 'resume-failed', error: { code: 'MODEL_UNAVAILABLE' } });
    expect((await next.tasks.get(owner.id)).status).toBe('interrupted');
    isThere = true;
    await next.tasks.resume(owner.id);
    expect((await next.tasks.ended(owner.id)).status).toBe('completed');
    expect((await eventsOf(next.tasks, await next.tasks.get(owner.id))).at(-1)?.type).toBe('end');
  },
  TIMEOUT_MS,
);
