import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { CLI } from '../fixtures/mcp-clients.ts';
import { fixturePath, until } from '../fixtures/server.ts';

const WAIT_MS = 60_000;
let server: ChildProcess | undefined;
afterEach(() => server?.kill('SIGKILL'));

test('the log of a session names an execution that a crash interrupted, and its unanswered call', async () => {
  const file = `${temporaryFolder()}/effects.txt`;
  const desk = openDesk({ effects: { command: process.execPath, args: [fixturePath('effects.mjs'), file, '60000'] } });
  const start = async () => {
    server = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--sandbox', 'quickjs'], {
      cwd: desk.folder,
      env: desk.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = await once(createInterface({ input: server.stdout as NodeJS.ReadableStream }), 'line');
    return String(line)
      .replace('MCP is at ', '')
      .replace(/\/mcp$/, '');
  };
  const first = await start();
  const { sessionId } = (await ask(`${first}/sessions`, { json: {} })).body;
  const run = (url: string, code: string) => ask(`${url}/execute`, { json: { code, sessionId, check: false } });
  await run(first, 'return 1');
  const cut = run(first, 'await callMCPTool("effects__append", { line: "secret plan" })').catch(() => 'cut');
  await until(() => existsSync(file), WAIT_MS);
  server?.kill('SIGKILL');
  expect(await cut).toBe('cut');

  const second = await start();
  // The lease of the killed process must expire first.
  await until(async () => (await ask(`${second}/executions?status=interrupted`)).body.executions.length === 1, WAIT_MS);
  const { body } = await run(second, "return await fs.readFile('/session/log.md', 'utf8')");
  expect(body.value).toMatch(/^## \S+: completed after/m);
  expect(body.value).toMatch(/^## \S+: interrupted after/m);
  expect(body.value).toContain('Calls: effects__append (sent, outcome unknown)');
  const again = await run(second, "return await fs.readFile('/session/log.jsonl', 'utf8')");
  const entries = again.body.value
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  expect(entries.map(({ status }: { status: string }) => status)).toEqual(['completed', 'interrupted', 'completed']);
});
