import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { LEASE_TTL_MS } from '../../packages/storage/src/leases/owner.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { linesOf } from '../fixtures/contents.ts';
import { ask } from '../fixtures/http-server.ts';
import { CLI } from '../fixtures/mcp-clients.ts';
import { until } from '../fixtures/server.ts';

const program = fileURLToPath(new URL('../fixtures/owner-host.mjs', import.meta.url));
const lockProgram = fileURLToPath(new URL('../fixtures/lock-host.mjs', import.meta.url));
const WAIT_MS = 60_000;
const TIMEOUT_MS = 120_000;
/** Names of changes that the operating system had begun before the pause: two changes, and a rename has two names. */
const IN_FLIGHT_NAMES = 4;

const children: ChildProcess[] = [];
const opened: Toolwright[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const toolwright of opened.splice(0)) await toolwright.close();
});

/** Starts a process whose program has effects all the time. Returns after the first ones. */
async function startOwner() {
  const dataDir = temporaryFolder();
  const effects = join(dataDir, 'effects.txt');
  const child = spawn(process.execPath, [program, dataDir, effects], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => void lines.push(line));
  const count = () => linesOf(effects).length;
  await until(() => lines.length > 0 && count() > 10, WAIT_MS);
  const { id, sessionId } = JSON.parse(lines[0] ?? '') as { id: string; sessionId: string };
  const other = await createToolwright({ dataDir, sandbox: 'quickjs' });
  opened.push(other);
  const statusOf = async () => (await other.executions.get(id)).status;
  /** Everything that the execution can change. */
  const state = () => ({
    effects: readFileSync(effects, 'utf8'),
    journal: readFileSync(join(dataDir, 'executions', `${id}.jsonl`), 'utf8'),
    files: readdirSync(join(dataDir, 'sessions', sessionId), { recursive: true })
      .map(String)
      .sort(),
  });
  await until(() => state().files.filter((name) => name.includes('made')).length > 10, WAIT_MS);
  return { child, lines, other, statusOf, state, id, dataDir };
}

/** Returns the names that only one of two lists has. */
function differences(one: readonly string[], other: readonly string[]): string[] {
  return [...one.filter((name) => !other.includes(name)), ...other.filter((name) => !one.includes(name))];
}

test(
  'a process that was paused longer than its lease has no effect after it continues, and can do new work',
  async () => {
    const { child, lines, statusOf, state, other, id } = await startOwner();
    expect(await statusOf()).toBe('running');
    child.kill('SIGSTOP');
    await until(async () => (await statusOf()) === 'interrupted', WAIT_MS);
    // The lease is renewed before it expires, so the pause has not been longer than it yet.
    await sleep(LEASE_TTL_MS / 5);
    const before = state();
    expect(before.files.filter((name) => name.includes('made')).length).toBeGreaterThan(10);
    child.kill('SIGCONT');
    await once(child, 'exit');
    const after = state();
    expect(after).toEqual({ ...before, files: expect.anything() });
    expect(differences(before.files, after.files).length).toBeLessThanOrEqual(IN_FLIGHT_NAMES);
    expect(JSON.parse(lines[1] ?? '')).toEqual({ ended: { code: 'OWNERSHIP_LOST' } });
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ next: { status: 'completed', value: 7 } });
    expect(await statusOf()).toBe('interrupted');
    expect((await other.executions.list({ status: 'interrupted' })).executions.map((found) => found.id)).toEqual([id]);
  },
  TIMEOUT_MS,
);

test(
  'a pause that is shorter than the lease changes nothing',
  async () => {
    const { child, statusOf, state } = await startOwner();
    child.kill('SIGSTOP');
    await sleep(LEASE_TTL_MS / 4);
    const { effects } = state();
    child.kill('SIGCONT');
    await until(() => state().effects.length > effects.length, WAIT_MS);
    expect(await statusOf()).toBe('running');
  },
  TIMEOUT_MS,
);

test(
  'a process whose data folder is locked for longer than its lease has no effect afterwards, and another one goes on',
  async () => {
    const { child, lines, statusOf, state, id, dataDir } = await startOwner();
    const locker = spawn(process.execPath, [lockProgram, join(dataDir, 'state.db')], { stdio: 'pipe' });
    children.push(locker);
    await once(locker.stdout, 'data');
    await until(() => lines.length > 1, WAIT_MS);
    expect(JSON.parse(lines[1] ?? '')).toEqual({ ended: { code: 'OWNERSHIP_LOST' } });
    const before = state();
    // The next program is refused.
    await once(child, 'exit');
    expect([lines.length, await statusOf()]).toEqual([2, 'interrupted']);
    expect(state()).toEqual(before);
    locker.stdin.end();
    const note = { description: 'Notes a text', inputSchema: { type: 'object' }, run: () => null };
    const next = await createToolwright({ dataDir, sandbox: 'quickjs', tools: { desk: { tools: { note } } } });
    opened.push(next);
    const resumed = next.executions.resume(id);
    await until(() => state().journal.length > before.journal.length, WAIT_MS);
    expect(state().journal.startsWith(before.journal)).toBe(true);
    await next.executions.cancel(id);
    // A call without an answer makes it ask for the outcome.
    expect((await resumed).status).toMatch(/^(stopped|suspended)$/);
  },
  TIMEOUT_MS,
);

test(
  'an execution of a killed process is interrupted once its lease has expired',
  async () => {
    const { child, statusOf, other, id } = await startOwner();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(async () => (await statusOf()) === 'interrupted', WAIT_MS);
    await expect(other.executions.cancel(id)).rejects.toMatchObject({ code: 'EXECUTION_ENDED' });
  },
  TIMEOUT_MS,
);

test(
  'an execution of another process is cancelled within about a second',
  async () => {
    const { lines, other, id, state } = await startOwner();
    expect((await other.executions.cancel(id)).status).toBe('running');
    await until(async () => (await other.executions.get(id)).status === 'cancelled', WAIT_MS);
    await until(() => lines.length > 1, WAIT_MS);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ ended: { status: 'stopped', limit: 'cancelled' } });
    const { effects } = state();
    await sleep(500);
    expect(state().effects).toBe(effects);
  },
  TIMEOUT_MS,
);

test(
  'a server cancels an execution of another server with the same data folder',
  async () => {
    const desk = openDesk({});
    const serve = async () => {
      const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--sandbox', 'quickjs'], {
        cwd: desk.folder,
        env: desk.env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      children.push(child);
      const [line] = await once(createInterface({ input: child.stdout }), 'line');
      return String(line)
        .replace('MCP is at ', '')
        .replace(/\/mcp$/, '');
    };
    const [one, two] = [await serve(), await serve()];
    const code = 'await new Promise((resolve) => setTimeout(resolve, 19_000))';
    const running = ask(`${one}/execute`, { json: { code, check: false } });
    const list = async () => (await ask(`${two}/executions?status=running`)).body.executions;
    await until(async () => (await list()).length === 1, WAIT_MS);
    const [{ executionId }] = await list();
    const answer = await ask(`${two}/executions/${executionId}/cancel`, { json: {} });
    expect([answer.status, answer.body.status]).toEqual([202, 'running']);
    expect((await running).body).toMatchObject({ status: 'stopped', limit: 'cancelled', executionId });
    expect((await ask(`${two}/executions/${executionId}`)).body.status).toBe('cancelled');
    expect((await ask(`${two}/executions/${executionId}/cancel`, { json: {} })).status).toBe(409);
  },
  TIMEOUT_MS,
);
