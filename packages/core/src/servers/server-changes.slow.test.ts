import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf, fixture, temporaryFile, until } from '../../../../test/fixtures/server.ts';
import { createToolwright, type Toolwright } from '../toolwright.ts';

/** Calls to the tool `slow`, and the function that ends them. */
let begun = 0;
let finish: () => void = () => undefined;

const CRM = {
  description: 'Customers',
  tools: {
    find_customer: { description: 'Finds a customer', run: () => ({ id: 7 }) },
    slow: {
      run: () =>
        new Promise((resolve) => {
          begun++;
          finish = () => resolve('done');
        }),
    },
  },
};

let toolwright: Toolwright;
beforeAll(async () => {
  toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: 'quickjs',
    tools: { own: { tools: { one: { run: () => 1 } } } },
  });
});
afterAll(() => toolwright.close());

async function run(source: string): Promise<unknown> {
  const result = await toolwright.execute(source);
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  return result.value;
}

async function ids(): Promise<string[]> {
  return (await toolwright.tools()).map(({ id }) => id);
}

async function underway(): Promise<void> {
  const before = begun;
  await until(() => begun > before);
}

describe('a server that is added and removed at run time', () => {
  test('is in the catalog, the types, the files and the state, then in none of them', async () => {
    const added = await toolwright.addServer('crm', CRM);
    expect(added).toMatchObject({ name: 'crm', slug: 'crm', description: 'Customers', toolCount: 2 });
    expect(added.status.state).toBe('ready');
    expect(await run('return callMCPTool("crm__find_customer", {})')).toEqual({ id: 7 });
    expect(await run("import { findCustomer } from './servers/crm/index.js'; return findCustomer()")).toEqual({
      id: 7,
    });
    expect((await toolwright.search('find a customer')).text).toContain('crm.find_customer(');
    expect((await toolwright.check(`await callMCPTool("crm__fnd_customer", {})`)).status).toBe('failed');
    expect((await toolwright.check(`await callMCPTool("crm__find_customer", {})`)).status).toBe('passed');
    expect((await toolwright.serverFiles().list('/servers', false)).map(({ name }) => name)).toEqual(['own', 'crm']);

    await toolwright.removeServer('crm');
    expect(await ids()).toEqual(['own__one']);
    expect((await toolwright.servers()).map(({ name }) => name)).toEqual(['own']);
    expect((await toolwright.search('find a customer')).text).not.toContain('crm.find_customer(');
    expect((await toolwright.serverFiles().list('/servers', false)).map(({ name }) => name)).toEqual(['own']);
    const gone = await toolwright.execute('return callMCPTool("crm__find_customer", {})', { check: false });
    expect(gone).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_TOOL' } });
  });

  test('is exchanged for another entry, by name or slug, only if that one lists its tools', async () => {
    await toolwright.addServer('c r m', CRM);
    const replaced = await toolwright.replaceServer('c-r-m', { tools: { other: { run: () => 'other' } } });
    expect(replaced).toMatchObject({ name: 'c r m', toolCount: 1 });
    expect(await ids()).toEqual(['c r m__other', 'own__one']);
    const failed = await failureOf(toolwright.replaceServer('c r m', fixture('dies', 'start')));
    expect(failed.code).toBe('UPSTREAM_UNAVAILABLE');
    expect(await run('return callMCPTool("c r m__other", {})')).toBe('other');
    await toolwright.removeServer('c r m');
  });

  test('serves a program that runs already', async () => {
    const running = toolwright.execute(
      `for (;;) { try { return await callMCPTool('late__one', {}) } catch { await utils.sleep(20) } }`,
      { check: false },
    );
    await toolwright.addServer('late', { tools: { one: { run: () => 'one' } } });
    expect(await running).toMatchObject({ status: 'completed', value: 'one' });
    await toolwright.removeServer('late');
  });

  test('may be an MCP server, which ends with its removal', async () => {
    const { status, toolCount } = await toolwright.addServer('basic', { ...fixture('basic'), description: 'Basic' });
    expect([status.state, toolCount > 0]).toEqual(['ready', true]);
    expect(await run(`return (await list_mcp_tools('basic')).length`)).toBe(toolCount);
    await toolwright.removeServer('basic');
    expect(await ids()).toEqual(['own__one']);
  });

  test('has names that stay apart from those of another server', async () => {
    const slug = async (name: string) => (await toolwright.servers()).find((server) => server.name === name)?.slug;
    await toolwright.addServer('a b', { tools: { one: { run: () => 1 } } });
    expect(await slug('a b')).toBe('a-b');
    await toolwright.addServer('a-b', { tools: { one: { run: () => 2 } } });
    expect([await slug('a-b'), await slug('a b')]).toEqual(['a-b', expect.stringMatching(/^a-b-[0-9a-f]{6}$/)]);
    expect(await run("import { one } from './servers/a-b/index.js'; return one()")).toBe(2);
    await Promise.all([toolwright.removeServer('a b'), toolwright.removeServer('a-b')]);
  });
});

describe('running calls of a removed server', () => {
  test('end, while new ones are refused', async () => {
    await toolwright.addServer('crm', CRM);
    const running = toolwright.execute(
      `const first = await callMCPTool('crm__slow', {});
       const second = await callMCPTool('crm__slow', {}).catch((error) => error.code);
       return [first, second]`,
    );
    await underway();
    const removed = toolwright.removeServer('crm');
    await until(async () => !(await ids()).includes('crm__slow'));
    finish();
    await removed;
    expect(await running).toMatchObject({ status: 'completed', value: ['done', 'UNKNOWN_TOOL'] });
  });

  test('fail with a stable code after waitMs', async () => {
    const called = temporaryFile();
    await toolwright.addServer('hanging', { ...fixture('hangs'), timeoutMs: 60_000, env: { CALLED_FILE: called } });
    const running = toolwright.execute(`return callMCPTool('hanging__hang', {}).catch((error) => error.code)`);
    await until(() => existsSync(called));
    await toolwright.removeServer('hanging', { waitMs: 100 });
    expect(await running).toMatchObject({ status: 'completed', value: 'CLOSED' });
  });

  test('do not delay a server of the same name, which is added after them', async () => {
    await toolwright.addServer('crm', CRM);
    const removed = toolwright.removeServer('crm');
    await toolwright.addServer('crm', { tools: { other: { run: () => 1 } } });
    await removed;
    expect(await ids()).toEqual(['crm__other', 'own__one']);
    await toolwright.removeServer('crm');
  });
});

describe('a mistake is one clear error, and changes nothing', () => {
  test.each<[string, () => Promise<unknown>, string, string]>([
    [
      'a taken name',
      () => toolwright.addServer('own', CRM),
      'CONFIG_INVALID',
      'A server "own" exists already. Remove it first, or choose another name.',
    ],
    [
      'a misspelt key',
      () => toolwright.addServer('x', { comand: 'node' }),
      'CONFIG_INVALID',
      'addServer: x.comand: unknown key; did you mean "command"?.',
    ],
    [
      'neither a command nor a URL',
      () => toolwright.addServer('x', {}),
      'CONFIG_INVALID',
      'addServer: x: expected one of "command" (a program to start), "url" (an MCP server to reach), "openapi" or "graphql" (an API), got none.',
    ],
    [
      'a disabled server',
      () => toolwright.addServer('x', { command: 'node', disabled: true }),
      'CONFIG_INVALID',
      'addServer: x: the server is disabled; remove "disabled" or "enabled".',
    ],
    [
      'no name',
      () => toolwright.addServer('', CRM),
      'CONFIG_INVALID',
      'addServer: a server needs a name, which is a text.',
    ],
    [
      'a tool without a function',
      () => toolwright.addServer('x', { tools: { one: {} } }),
      'CONFIG_INVALID',
      'The tool one of x has no function "run".',
    ],
    [
      'a server that does not start',
      () => toolwright.addServer('x', fixture('dies', 'start')),
      'UPSTREAM_UNAVAILABLE',
      'x could not start: its process ended before the end of the handshake.',
    ],
    [
      'a new entry for an unknown name',
      () => toolwright.replaceServer('onw', CRM),
      'UNKNOWN_SERVER',
      'Unknown server "onw". Did you mean own?',
    ],
    [
      'a wrong new entry',
      () => toolwright.replaceServer('own', { comand: 'node' }),
      'CONFIG_INVALID',
      'replaceServer: own.comand: unknown key; did you mean "command"?.',
    ],
    [
      'an unknown name',
      () => toolwright.removeServer('onw'),
      'UNKNOWN_SERVER',
      'Unknown server "onw". Did you mean own?',
    ],
    [
      'a wrong time',
      () => toolwright.removeServer('own', { waitMs: -1 }),
      'CONFIG_INVALID',
      'waitMs must be a whole number from 0 to 2147483647, not -1.',
    ],
    [
      'a misspelt option',
      () => toolwright.removeServer('own', { waitMS: 1 } as never),
      'CONFIG_INVALID',
      'removeServer: unknown option "waitMS". Did you mean "waitMs"?',
    ],
  ])('%s', async (_name, change, code, message) => {
    const failure = await failureOf(change());
    expect(failure.code).toBe(code);
    expect(failure.message.startsWith(message), failure.message).toBe(true);
    expect((await toolwright.servers()).map(({ name }) => name)).toEqual(['own']);
  });

  test('after the end of the Toolwright', async () => {
    const other = await createToolwright({ dataDir: temporaryFolder(), sandbox: 'quickjs' });
    await other.close();
    expect(await failureOf(other.addServer('crm', CRM))).toMatchObject({ code: 'CLOSED' });
  });
});

test('a pattern that is added at run time redacts from then on, in all sessions', async () => {
  const { pii } = toolwright;
  await toolwright.sessions.create();
  expect(await pii.redact('order ID-123456')).toBe('order ID-123456');
  pii.addPattern('custom_id', /\bID-\d{6}\b/g);
  expect(await pii.redact('order ID-123456')).toBe('order [CUSTOM_ID_1]');
  expect(await pii.redact({ ref: 'ID-654321' }, { sessionId: 'never' }).catch(({ code }) => code)).toBe(
    'UNKNOWN_SESSION',
  );
  expect(await pii.restore('[CUSTOM_ID_1]')).toBe('ID-123456');
  await toolwright.addServer('orders', { tools: { last: { run: () => ({ order: 'ID-777777' }) } } });
  expect(await run('return callMCPTool("orders__last", {})')).toEqual({ order: '[CUSTOM_ID_2]' });
  const seen = await toolwright.execute('console.log((await callMCPTool("orders__last", {})).order)');
  expect(seen.logs.map(({ text }) => text)).toEqual(['[CUSTOM_ID_2]']);
  for (const [name, pattern] of [
    ['nested', /(a+)+(?=b)/],
    ['email', /x/],
    ['x y', /x/],
  ] as const) {
    expect(() => pii.addPattern(name, pattern)).toThrow(expect.objectContaining({ code: 'PATTERN_INVALID' }));
  }
});
