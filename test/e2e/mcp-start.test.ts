import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { connectClient } from '../fixtures/mcp-clients.ts';
import { isAlive } from '../fixtures/processes.ts';
import { fixture, until } from '../fixtures/server.ts';

const NAMES = ['execute_code', 'search_tools'];

test('a server without a configuration reports the fix on stderr', async () => {
  const { code, err } = await openDesk().run(['mcp']);
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/found no configuration.*--config FILE \(an absolute path\).*toolwright init/),
  ]);
});

test('the configuration, the environment or an option lists all own tools; the option wins', async () => {
  const namesOf = async (desk: Desk, args: readonly string[] = []) => {
    const { client, close } = await connectClient(desk, { transport: 'stdio', era: 'modern' }, args);
    const { tools } = await client.listTools();
    await close();
    return tools.map(({ name }) => name);
  };
  const all = await namesOf(openDesk({}), ['--profile', 'full']);
  expect([all.length, all.slice(0, 3)]).toEqual([11, [...NAMES, 'get_tool_definition']]);
  const configured = openDesk();
  configured.write('toolwright.json', { mcpServers: {}, toolProfile: 'full' });
  expect(await namesOf(configured)).toEqual(all);
  expect(await namesOf(configured, ['--profile', 'core'])).toEqual(NAMES);
  const byEnvironment = openDesk({});
  const env = { ...byEnvironment.env, TOOLWRIGHT_TOOL_PROFILE: 'full' };
  expect(await namesOf({ ...byEnvironment, env })).toEqual(all);
});

test.each<[string, readonly string[], string]>([
  [
    '--profile with a profile of the configuration',
    ['--profile', 'work'],
    'use --servers work, or /mcp/work over HTTP',
  ],
  ['--servers with a tool profile', ['--servers', 'core'], 'use --profile core'],
  ['an unknown tool profile', ['--profile', 'all'], 'There is no tool profile "all". Use one of: core, full.'],
])('%s is refused with the option to use', async (_name, args, fix) => {
  const desk = openDesk();
  desk.write('toolwright.json', {
    mcpServers: { basic: fixture('basic') },
    profiles: { work: { servers: ['basic'] } },
  });
  const { code, err } = await desk.run(['mcp', ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining(fix)]);
});

test('a second start has the tools before their servers start, and the server ends with its client', async () => {
  const desk = openDesk({ basic: fixture('basic') });
  const way = { transport: 'stdio', era: 'legacy' } as const;
  const first = await connectClient(desk, way);
  const code = 'return callMCPTool("basic__echo", { value: "x" })';
  await first.client.callTool({ name: 'execute_code', arguments: { code, check: false } });
  await sleep(500);
  await first.close();
  const second = await connectClient(desk, way);
  expect(second.client.getInstructions()).toMatch(
    /^Call at once; errors show signatures:\nbasic: .*\becho\b.*\nUsed lately:\nservers\.basic\.echo\(\)$/,
  );
  expect(isAlive(second.pid)).toBe(true);
  await second.close();
  await until(() => !isAlive(second.pid));
});

test.each([0, 300, 1_500])(
  'a client that disconnects %i ms after its first message leaves nothing behind',
  async (ms) => {
    const desk = openDesk({ basic: fixture('basic') });
    const child = desk.start('mcp');
    const ended = once(child, 'exit');
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    child.stdout?.resume();
    child.stderr?.resume();
    await sleep(ms);
    child.stdin?.end();
    // Anything opened after the client has disconnected would keep the process alive forever.
    expect(await Promise.race([ended, sleep(60_000, 'still there', { ref: false })])).toEqual([0, null]);
  },
);
