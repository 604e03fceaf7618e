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

  // A server would continue the execution.
  const read = async (name: string) => {
    const code = `return await fs.readFile('/session/${name}', 'utf8')`;
    return (await desk.run(['run', '--no-check', '--sandbox', 'quickjs', '--session', sessionId, '-e', code])).out;
  };
  // The lease of the killed process must expire first. Reading the log would add executions, and it shows only the last ten.
  const list = async () => (await desk.run(['executions', 'list', '--json'])).out;
  await until(async () => (await list()).includes('"interrupted"'), WAIT_MS);
  const log = await read('log.md');
  expect(log).toMatch(/^## \S+: completed after/m);
  expect(log).toMatch(/^## \S+: interrupted after/m);
  expect(log).toContain('Calls: effects__append (sent, outcome unknown)');
  const entries = (await read('log.jsonl'))
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  expect(entries.slice(0, 2).map(({ status }: { status: string }) => status)).toEqual(['completed', 'interrupted']);
});
