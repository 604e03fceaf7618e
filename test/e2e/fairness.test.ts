import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { MAX_SESSIONS_PER_USER } from '../../packages/server/src/rate-limit/user-caps.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { CLI } from '../fixtures/mcp-clients.ts';
import { until } from '../fixtures/server.ts';

/** Programs that a user has in flight. More than the sandboxes, so that some wait. */
const FLOOD = 32;
/** Both programs run until their time limit, which is after the end of the test. */
const COMPUTES = 'while (true);';
const CALLS = "while (true) await fs.writeFile('f', 'x'.repeat(1000));";
const TIMEOUT_MS = 120_000;
const FLOOD_LIMITS = { TOOLWRIGHT_TIMEOUT_MS: String(TIMEOUT_MS) };

let server: ChildProcess | undefined;
afterEach(async () => {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGKILL');
  await once(server, 'exit');
});

async function serve(sandbox: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const desk = openDesk();
  desk.write('steps.json', [{ text: 'Hello.' }]);
  const env = { ...desk.env, ...more };
  const { folder } = desk;
  server = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--sandbox', sandbox], {
    ...{ cwd: folder, env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (!server.stdout) throw new Error('The server has no output.');
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  return String(line)
    .replace('MCP is at ', '')
    .replace(/\/mcp$/, '');
}

test.each(['quickjs', 'auto'])(
  'in the sandbox %s, programs of a third user end before any of two flooding users',
  async (sandbox) => {
    const url = await serve(sandbox, FLOOD_LIMITS);
    const run = (userId: string, code: string) => ask(`${url}/execute`, { json: { code, userId, check: false } });
    const ended: string[] = [];
    for (const [user, code] of [
      ['ada', COMPUTES],
      ['bob', CALLS],
    ] as const) {
      const end = () => void ended.push(user);
      for (let sent = 0; sent < FLOOD; sent++) run(user, code).then(end, end);
    }
    await until(async () => (await ask(`${url}/health`)).body.running >= FLOOD, TIMEOUT_MS);
    for (let sent = 0; sent < 5; sent++) {
      const { body } = await run('carol', 'return [1, 2, 3].map((n) => n * 2)');
      expect(body).toMatchObject({ status: 'completed' });
    }
    expect(ended).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a task without a session counts for the cap of sessions',
  async () => {
    const dataDir = temporaryFolder();
    const toolwright = await createToolwright({ dataDir, sandbox: 'quickjs' });
    await Promise.all(
      Array.from({ length: MAX_SESSIONS_PER_USER }, () => toolwright.sessions.create({ userId: 'eve' })),
    );
    await toolwright.close();
    const url = await serve('quickjs', { LLM_MODEL: 'scripted/steps.json', TOOLWRIGHT_DATA_DIR: dataDir });
    const { status, body } = await ask(`${url}/task`, { json: { task: 'Say hello.', userId: 'eve' } });
    expect([status, body.code]).toEqual([429, 'QUOTA_EXCEEDED']);
  },
  TIMEOUT_MS,
);
