import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { linesOf } from '../fixtures/contents.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { failureOf, until } from '../fixtures/server.ts';

const HOST = fileURLToPath(new URL('../fixtures/execution-host.mjs', import.meta.url));
const CALLS = 40;
/** A lease of 5 seconds, and time for a busy machine. */
const TAKE_OVER_MS = 60_000;

needsPostgres.describe('executions in PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    // The processes of a cluster have one master key.
    vi.stubEnv('TOOLWRIGHT_MASTER_KEY', randomBytes(32).toString('hex'));
    postgres = await startPostgres();
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    return postgres?.stop();
  });

  /** Starts a process that runs a program, and opens another one that shares nothing but the database and the key. */
  async function startBoth() {
    const store = await postgres.create();
    const dataDir = temporaryFolder();
    const effects = join(dataDir, 'effects');
    const host = spawn(process.execPath, [HOST, dataDir, store, effects, String(CALLS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void host.kill('SIGKILL'));
    const printed: { readonly id?: string; readonly ended?: string }[] = [];
    createInterface({ input: host.stdout }).on('line', (line) => printed.push(JSON.parse(line)));
    await until(() => printed.length > 0, 60_000);
    const made = () => linesOf(effects);
    const note = async ({ text }: { text?: string }) => {
      appendFileSync(effects, `${text} other\n`);
      return null;
    };
    const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
    const toolwright = await createToolwright({
      ...{ dataDir: temporaryFolder(), store, sandbox: 'quickjs', check: false, pin: 'off', waits: { graceMs: 0 } },
      tools: { desk: { tools: { note: { description: 'Notes a text', inputSchema, run: note } } } },
    } as ToolwrightOptions);
    onTestFinished(() => toolwright.close());
    const id = String(printed[0]?.id);
    await until(() => made().length > 5, 60_000);
    return { host, id, toolwright, made, ended: () => printed.find(({ ended }) => ended !== undefined)?.ended };
  }

  /** Continues an execution as soon as its lease has expired. Decides about an unknown call as a person who looks at its effects. */
  async function takeOver(toolwright: Toolwright, id: string, made: () => string[]) {
    const { executions } = toolwright;
    expect((await failureOf(executions.resume(id))).code).toBe('EXECUTION_RUNNING');
    const from = performance.now();
    await until(async () => (await executions.get(id)).status === 'interrupted', TAKE_OVER_MS);
    const waited = performance.now() - from;
    let result = await executions.resume(id);
    let asked = 0;
    while (result.status === 'suspended') {
      for (const { call, kind, arguments: args } of result.pending) {
        expect(kind).toBe('outcome');
        asked++;
        const isMade = made().some((line) => line.startsWith(`${Object(args).text} `));
        await executions.decide(id, {
          calls: [call],
          ...(isMade ? { action: 'result', value: null } : { action: 'resend' }),
        });
      }
      result = await executions.resume(id);
    }
    expect(result).toMatchObject({ status: 'completed', value: 'done' });
    return { waited, asked };
  }

  const texts = (lines: string[]) => lines.map((line) => line.split(' ').slice(0, 2).join(' '));
  const ALL = Array.from({ length: CALLS }, (_, number) => `note ${number}`);

  it('go on in another process after a kill, with each effect once', async () => {
    const { host, id, toolwright, made } = await startBoth();
    host.kill('SIGKILL');
    const { asked } = await takeOver(toolwright, id, made);
    expect(asked).toBeLessThanOrEqual(1);
    expect(texts(made())).toEqual(ALL);
  }, 180_000);

  it('are lost to a process that was paused for longer than its lease: it sends nothing more', async () => {
    const { host, id, toolwright, made, ended } = await startBoth();
    host.kill('SIGSTOP');
    await takeOver(toolwright, id, made);
    const before = made();
    host.kill('SIGCONT');
    await until(() => ended() !== undefined, TAKE_OVER_MS);
    expect(ended()).toBe('OWNERSHIP_LOST');
    expect(made()).toEqual(before);
    expect(texts(before)).toEqual(ALL);
    expect(await toolwright.executions.get(id)).toMatchObject({ status: 'completed' });
  }, 180_000);

  it('go on while PostgreSQL restarts', async () => {
    const { id, toolwright, made, ended } = await startBoth();
    await postgres.kill();
    await sleep(300);
    await postgres.restart();
    await until(() => ended() !== undefined, TAKE_OVER_MS);
    expect([ended(), texts(made())]).toEqual(['completed', ALL]);
    expect(await toolwright.executions.get(id)).toMatchObject({ status: 'completed' });
  }, 180_000);
});
