import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { isAlive } from '../fixtures/processes.ts';
import { TOOLS } from './tools.ts';

const dataDir = temporaryFolder();
let calls = 0;
const tools = { ...TOOLS, own: { tools: { count: { run: () => ++calls } } } };
const toolwright = await createToolwright({ dataDir, sandbox: 'quickjs', tools });
afterAll(() => toolwright.close());

const INVALID_PROGRAMS = `await callMCPTool('own__count', {});\nawait fs.writeFile('a', 'A');\nawait callMCPTool('own__cuont', {});`;

describe('a wrong program', () => {
  it('has no effect at all, and the journal has no call', async () => {
    const {
      executionId: id,
      stats,
      ...result
    } = await toolwright.execute(INVALID_PROGRAMS, {
      sessionId: 'wrong',
      createSession: true,
    });
    expect(result).toEqual({
      status: 'failed',
      error: {
        kind: 'user',
        code: 'TYPE_ERROR',
        name: 'TypeError',
        message: 'Line 3: There is no tool "own__cuont". Nothing has run.',
        line: 3,
        column: 19,
        hint: 'Did you mean own__count? servers.own.count()',
      },
      logs: [],
      calls: [],
    });
    expect([calls, stats.check, stats.toolCalls]).toEqual([0, 'failed', 0]);
    expect(existsSync(join(dataDir, 'sessions/wrong/workspace/a'))).toBe(false);
    const journal = readFileSync(join(dataDir, 'executions', `${id}.jsonl`), 'utf8')
      .trim()
      .split('\n');
    expect(journal.map((line) => JSON.parse(line).entry)).toEqual(['start', 'result', 'end']);
  });

  it('runs when the execution disables the check', async () => {
    const { stats, status } = await toolwright.execute('await callMCPTool("own__cuont", {})', { check: false });
    expect([status, stats.check]).toEqual(['failed', 'skipped: it is turned off']);
  });

  it('in Python is not checked', async () => {
    const result = await toolwright.check('await call_mcp_tool("own__cuont", {})', { language: 'python' });
    expect(result).toMatchObject({ status: 'skipped', reason: 'python programs are not checked' });
  });

  it('runs when the Toolwright disables the check', async () => {
    await using unchecked = await createToolwright({ dataDir, sandbox: 'quickjs', tools, check: false });
    const result = await unchecked.execute('await callMCPTool("own__cuont", {})');
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'UNKNOWN_TOOL' },
      stats: { check: 'skipped: it is turned off' },
    });
  });
});

it('a program that calls no tool is not delayed', async () => {
  const { stats } = await toolwright.execute('return 1');
  expect(stats.check).toBe('skipped: it calls no tool');
});

it('a syntax error is reported without the check', async () => {
  const failed = { status: 'failed', error: { code: 'SYNTAX', line: 1 } };
  expect(await toolwright.execute('const = callMCPTool')).toMatchObject(failed);
  expect(await toolwright.check('const = callMCPTool')).toMatchObject(failed);
});

it('a program in a code fence is checked at its own positions', async () => {
  const result = await toolwright.check("```ts\nawait callMCPTool('own__cuont', {});\n```");
  expect(result).toMatchObject({ error: { line: 2, column: 19 } });
});

it('files of the session are checked, with their imports', async () => {
  const files = `await fs.writeFile('lib.ts', "import * as own from '/servers/own/index.js';\\nexport const next = (): Promise<number> => own.count({});");
await fs.writeFile('/workspace/plain.js', "export { next } from './lib.js'; export function twice(n) { return 2 * n; }");`;
  await toolwright.execute(files, { sessionId: 'lib', createSession: true });
  const use = (names: string) => `import { ${names} } from './plain.js';\nreturn await next();`;
  const options = { sessionId: 'lib' };
  expect(await toolwright.check(use('next, twice'), options)).toMatchObject({ status: 'passed' });
  expect(await toolwright.check(`${use('next, twoce')} twoce(1)`, options)).toMatchObject({
    status: 'failed',
    error: { line: 1, message: expect.stringContaining("'twoce'") },
  });
  expect(await toolwright.check(use('next'))).toMatchObject({ status: 'failed', error: { line: 1 } });
  const written = `await fs.writeFile('new.js', 'export default 1');\nreturn (await import('./new.js')).default;`;
  expect(await toolwright.check(written)).toMatchObject({ status: 'passed' });
});

it('a server that cannot list its tools allows anything', async () => {
  const mcpServers = { down: { command: process.execPath, args: ['-e', 'process.exit(3)'] } };
  await using broken = await createToolwright({ dataDir, sandbox: 'quickjs', mcpServers, logger: silent });
  const source = `import * as down from './servers/down/index.js';\nawait down.anything({ x: 1 });\nawait callMCPTool('down__it', {});`;
  expect(await broken.check(source)).toMatchObject({ status: 'passed' });
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };

it('no compiler outlives a killed host', async () => {
  const host = spawn(
    process.execPath,
    [fileURLToPath(new URL('../fixtures/check-host.mjs', import.meta.url)), dataDir],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const compiler = await new Promise<number>((resolve) => host.stdout.once('data', (text) => resolve(Number(text))));
  const isThere = () => isAlive(compiler);
  expect([compiler > 0, isThere()]).toEqual([true, true]);
  host.kill('SIGKILL');
  for (let tries = 0; isThere() && tries < 200; tries++) await sleep(20);
  expect(isThere()).toBe(false);
});
