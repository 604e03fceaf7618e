import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lookupOperations } from '../../packages/core/src/execution/guest/guest-operations.ts';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { TOOLS } from '../../packages/server/src/agent/loop/toolbox.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { partial } from '../fixtures/partial.ts';
import { PRODUCT, read } from '../structure/sources.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const effects: unknown[] = [];
let toolwright: Toolwright;
let client: Client;
let executionId: string;

beforeAll(async () => {
  const pay = { description: 'Pays', inputSchema: { type: 'object' }, run: async () => effects.push('paid') };
  toolwright = await createToolwright({
    ...{ dataDir: temporaryFolder(), sandbox: 'quickjs', check: false, waits: { graceMs: 0 } },
    policy: { preset: 'careful' },
    tools: { bank: { tools: { pay } } },
  });
  ({ executionId } = await toolwright.execute(`return callMCPTool('bank__pay')`));
  const endpoint = mcpEndpoint(
    mcpServers({ open: async () => toolwright, profile: 'full', logger: partial(silent) }),
    partial(silent),
  );
  client = new Client({ name: 'c', version: '1' });
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
});
afterAll(async () => {
  await client?.close();
  await toolwright?.close();
});

const isOpen = async () => {
  expect((await toolwright.executions.get(executionId)).status).toBe('suspended');
  expect(await toolwright.executions.questions(executionId)).toHaveLength(1);
  expect(effects).toEqual([]);
};

/** Values that a decision could have, for each member of a schema. */
const guesses = (properties: Readonly<Record<string, unknown>>, text: string) => ({
  ...Object.fromEntries(Object.keys(properties).map((name) => [name, name === 'code' ? `return 1` : text])),
  ...{ executionId, id: executionId, action: 'approve', decision: 'approve', calls: [1], approved: executionId },
});

it('no MCP tool decides, with any arguments', async () => {
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(10);
  for (const { name, inputSchema } of tools) {
    for (const text of [executionId, 'approve', `approve ${executionId}`]) {
      await client.callTool({ name, arguments: guesses(inputSchema.properties ?? {}, text) }).catch(() => undefined);
    }
  }
  await isOpen();
});

it('no function of a program decides', async () => {
  const code = `
const found = [];
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const value = globalThis[name];
  const functions = typeof value === 'function' ? [[name, value]] : value && typeof value === 'object' ? Object.entries(value) : [];
  for (const [member, call] of functions) {
    if (typeof call !== 'function' || /^(set|sleep|queue|Promise|console)/.test(member)) continue;
    found.push(member);
    for (const args of [['${executionId}'], ['${executionId}', { action: 'approve' }], ['approve', '${executionId}']]) {
      try { await Promise.race([call(...args), sleep(50)]) } catch {}
    }
  }
}
return found;`;
  const { value } = (await toolwright.execute(code, { limits: { timeoutMs: 20_000 } })) as { value?: string[] };
  expect(value).toEqual(expect.arrayContaining(['callMCPTool', 'execution', 'derive', 'writeFile', 'run_skill']));
  await isOpen();
});

it('no tool of a program is a decision', async () => {
  for (const operation of ['decide', 'approve', 'executions.decide', 'resume', 'questions']) {
    const result = await toolwright.execute(`return callMCPTool('${operation}', { id: '${executionId}' })`);
    expect(result.status).toBe('failed');
  }
  await isOpen();
});

it('decisions come from these places only: add another one here', () => {
  const callers = PRODUCT.filter((path) => /executions\s*\.decide\(/.test(read(path)));
  expect(callers.sort()).toEqual([
    // Only with the decision of a person: `continue_execution` raises `NOT_APPROVED`.
    // They pass a decision of one of the others to the process that runs the program, or to the executions of all profiles.
    'packages/core/src/in-profile.ts',
    'packages/server/src/cluster/caller.ts',
    'packages/server/src/cluster/dispatched.ts',
    'packages/server/src/code-tools/approvals.ts',
    'packages/server/src/http/approvals/approvals.ts',
    'packages/server/src/http/approvals/decisions.ts',
    'packages/server/src/mcp/questions/approvals.ts',
    // The client, never its model, sends `tasks/update` with the form of its user.
    'packages/server/src/mcp/tasks/execution-tasks.ts',
    'packages/toolwright/src/commands/executions/decide.ts',
  ]);
  const operations = Object.keys(lookupOperations({} as never));
  expect([...operations, ...TOOLS.map(({ name }) => name)].filter((name) => /decid|approv/i.test(name))).toEqual([]);
});
