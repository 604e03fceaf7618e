import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { ExecutionError } from '../../packages/core/src/history/result.ts';
import type { Logger } from '../../packages/core/src/telemetry/log.ts';
import { createToolwright, type ExecuteOptions } from '../../packages/core/src/toolwright.ts';
import { readJournal, temporaryFolder } from '../fixtures/bridge-host.ts';
import { childrenOf, isAlive } from '../fixtures/processes.ts';
import { fixture, fixturePath, temporaryFile, until } from '../fixtures/server.ts';

const dataDir = temporaryFolder();
const quiet: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const toolwright = await createToolwright({
  dataDir,
  logger: quiet,
  mcpServers: {
    basic: fixture('basic'),
    missing: { command: 'no-such-program-here' },
    broken: fixture('dies', 'start'),
    babbling: { ...fixture('garbage', 'only'), startTimeoutMs: 800 },
    chatty: fixture('garbage'),
    mortal: fixture('dies'),
    hanging: { ...fixture('hangs'), timeoutMs: 300 },
    silent: { ...fixture('hangs', 'start'), startTimeoutMs: 800 },
    changing: fixture('changing'),
  },
});
afterAll(() => toolwright.close());

const EFFECTS = ['start', 'call', 'answer', 'result', 'end'];
/** The journal without its entries for a replay. */
const readEffects = (path: string) => readJournal(path).filter(({ entry }) => EFFECTS.includes(entry));
const journalOf = (id: string) => readEffects(join(dataDir, 'executions', `${id}.jsonl`));

async function run(source: string, options: ExecuteOptions = {}) {
  const result = await toolwright.execute(source, options);
  const error: Partial<ExecutionError> = result.status === 'failed' ? result.error : {};
  const entries = journalOf(result.executionId).slice(1);
  return { result, error, entries, value: result.status === 'completed' ? result.value : undefined };
}

describe('a server that', () => {
  test.each<[string, string, string, RegExp]>([
    ['is not installed', 'missing', 'UPSTREAM_UNAVAILABLE', /^missing .*no-such-program-here/s],
    ['ends at its start', 'broken', 'UPSTREAM_UNAVAILABLE', /^broken .*exit code 3.*fatal: API_TOKEN/s],
    ['prints only garbage', 'babbling', 'UPSTREAM_UNAVAILABLE', /^babbling .*800 ms/s],
    ['never answers', 'silent', 'UPSTREAM_UNAVAILABLE', /^silent .*800 ms/s],
  ])('%s is reported with the fix, and affects no other server', async (_name, server, code, message) => {
    const { error, entries, result } = await run(
      `const fine = await callMCPTool('basic__echo', { value: 'fine' }); await callMCPTool('${server}__x', { a: 1 }); return fine`,
    );
    expect([error.kind, error.code, error.message, error.line]).toEqual([
      'upstream',
      code,
      expect.stringMatching(message),
      1,
    ]);
    expect(entries).toMatchObject([
      { entry: 'call', number: 1, tool: 'basic__echo' },
      { entry: 'answer', number: 1, ok: true, result: 'fine' },
      { entry: 'call', number: 2, tool: `${server}__x`, arguments: { a: 1 } },
      { entry: 'answer', number: 2, ok: false, result: { code } },
      { entry: 'result', result: { status: 'failed' } },
      { entry: 'end', status: 'failed' },
    ]);
    expect(result.calls.map(({ status }) => status)).toEqual(['answered', 'failed']);
  });

  test('prints garbage between its messages is still usable', async () => {
    expect((await run("return callMCPTool('chatty__fine')")).value).toBe('fine');
  });

  test('dies during a call is reported, gets no repeated call, and is started for the next call', async () => {
    const source = `
const first = await callMCPTool('mortal__live', {});
const failed = await callMCPTool('mortal__die', {}).catch((error) => [error.code, error.message]);
const other = await callMCPTool('basic__echo', { value: 'fine' });
const next = await callMCPTool('mortal__live', {});
return { failed, other, restarted: first !== next };`;
    const { value, entries, result } = await run(source);
    expect(value).toEqual({
      failed: ['UPSTREAM_UNAVAILABLE', expect.stringMatching(/^mortal died during the call of die: .*not repeated/)],
      other: 'fine',
      restarted: true,
    });
    expect(entries.map((entry) => [entry.entry, 'number' in entry && entry.number, 'ok' in entry && entry.ok])).toEqual(
      [
        ['call', 1, false],
        ['answer', 1, true],
        ['call', 2, false],
        ['answer', 2, false],
        ['call', 3, false],
        ['answer', 3, true],
        ['call', 4, false],
        ['answer', 4, true],
        ['result', false, false],
        ['end', false, false],
      ],
    );
    expect(result.calls[1]).toMatchObject({ status: 'failed', code: 'UPSTREAM_UNAVAILABLE' });
  });

  test('hangs is cancelled after its timeout, and usable again', async () => {
    const { error, entries } = await run("await callMCPTool('hanging__hang', {})");
    expect([error.kind, error.code, error.message]).toEqual([
      'upstream',
      'TOOL_TIMEOUT',
      'hang on hanging did not answer within 300 ms and was cancelled. Raise mcpServers.hanging.timeoutMs, or ask for less.',
    ]);
    expect(entries[1]).toMatchObject({ entry: 'answer', ok: false, result: { code: 'TOOL_TIMEOUT' } });
    expect((await run("return (await callMCPTool('hanging__cancelled', {})).length")).value).toBe(1);
  });

  test('hangs past the end of the execution leaves its call unanswered in the journal', async () => {
    // The program ends by its own time: waiting for a tool does not count.
    const source = "void callMCPTool('basic__slow', { ms: 20000 }); await sleep(100); for (;;) {}";
    const result = await toolwright.execute(source, { limits: { timeoutMs: 1_000 } });
    expect(result).toMatchObject({ status: 'stopped', limit: 'timeout', calls: [{ status: 'unanswered' }] });
    expect(journalOf(result.executionId).map(({ entry }) => entry)).toEqual(['start', 'call', 'result', 'end']);
  });

  test('changes its tools between calls provides the new ones at once', async () => {
    const source = `
const before = (await list_mcp_tools('changing__')).length;
await callMCPTool('changing__grow', {});
const names = (await list_mcp_tools('changing__')).map(({ name }) => name);
return { grown: names.length - before, works: await callMCPTool(names.at(0), {}) };`;
    expect((await run(source)).value).toEqual({ grown: 1, works: 'grown' });
  });
});

describe('a mistake in a call', () => {
  test.each<[string, string, string, RegExp]>([
    ['an unknown tool', "callMCPTool('basic__ad')", 'UNKNOWN_TOOL', /Did you mean basic__add/],
    ['an unknown server', "callMCPTool('nowhere__x')", 'UNKNOWN_TOOL', /Search for it|Did you mean/],
    ['arguments that are no object', "callMCPTool('basic__add', 5)", 'GUEST_ERROR', /takes one object of arguments/],
    ['a tool that refuses', "callMCPTool('basic__boom', {})", 'TOOL_FAILED', /^the disk is full$/],
  ])('%s is an error of the program, with its line', async (_name, call, code, message) => {
    const { error } = await run(`const a = 1;\nawait ${call};`, { check: false });
    expect([error.kind, error.code, error.line, error.message]).toEqual([
      'user',
      code,
      2,
      expect.stringMatching(message),
    ]);
  });
});

describe('a host that ends during an execution', () => {
  async function startHost(): Promise<{ host: ChildProcess; folder: string; pids: () => number[] }> {
    const folder = temporaryFolder();
    const starts = temporaryFile();
    const program = fileURLToPath(new URL('../fixtures/host-program.mjs', import.meta.url));
    const host = spawn(process.execPath, [program, folder, fixturePath('basic.mjs'), starts], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let reported = '';
    host.stdout?.on('data', (chunk) => {
      reported += chunk;
    });
    await until(() => reported.includes('call 2'));
    const servers = readFileSync(starts, 'utf8').trim().split('\n').map(Number);
    const pids = [...servers, ...childrenOf(host.pid ?? 0).map(({ pid }) => pid)];
    return { host, folder, pids: () => pids };
  }

  test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'by %s leaves a journal without an end, and no process',
    async (signal) => {
      const { host, folder, pids } = await startHost();
      expect(pids().length).toBeGreaterThanOrEqual(3);
      const executions = join(folder, 'executions');
      const [name = ''] = readdirSync(executions);
      await until(() => readEffects(join(executions, name)).length === 4);
      host.kill(signal);
      await once(host, 'exit');
      await until(() => !pids().some(isAlive));
      expect(readEffects(join(executions, name))).toMatchObject([
        { entry: 'start', session: 'cut', source: expect.stringContaining('basic__slow') },
        { entry: 'call', number: 1, tool: 'basic__echo', arguments: { value: 'first' } },
        { entry: 'answer', number: 1, ok: true, result: 'first' },
        { entry: 'call', number: 2, tool: 'basic__slow', arguments: { ms: 60_000 } },
      ]);
    },
  );
});
