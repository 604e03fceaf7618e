import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../test/fixtures/warm-sandbox.ts';
import { createToolwright, type Toolwright } from './toolwright.ts';

const toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: warmQuickjs() });
afterAll(() => toolwright.close());

/** Calls a method with options that its types refuse. */
type Call = (options: never) => Promise<unknown>;
const METHODS: readonly [string, Call][] = [
  ['execute', (options) => toolwright.execute('return 1', options)],
  ['check', (options) => toolwright.check('return 1', options)],
  ['pii.redact', (options) => toolwright.pii.redact('x', options)],
  ['pii.restore', (options) => toolwright.pii.restore('x', options)],
  ['pii.redactStream', (options) => toolwright.pii.redactStream(options)],
  ['pii.restoreStream', (options) => toolwright.pii.restoreStream(options)],
  ['pii.forget', (options) => toolwright.pii.forget('x', options)],
];
const OF_USERS: readonly [string, Call][] = [
  ...METHODS,
  ['search', (options) => toolwright.search('x', options)],
  ['sessions.create', (options) => toolwright.sessions.create(options)],
  ['sessions.get', (options) => toolwright.sessions.get('x', options)],
  ['sessions.list', (options) => toolwright.sessions.list(options)],
  ['sessions.log', (options) => toolwright.sessions.log('x', options)],
  ['sessions.files', (options) => toolwright.sessions.files('x', options)],
  ['sessions.remove', (options) => toolwright.sessions.remove('x', options)],
];

describe('a former name of an option is an error with its new name', () => {
  test.each(METHODS)('session in %s', async (method, call) => {
    expect(await failureOf(call({ session: 'x' } as never))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: `${method}: the option "session" is now called "sessionId".`,
    });
  });

  test.each(OF_USERS)('user in %s', async (method, call) => {
    expect(await failureOf(call({ user: 'x' } as never))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: `${method}: the option "user" is now called "userId".`,
    });
  });

  test.each([
    ['of an installed plugin', 'n8n', { n8n: { catalog: 'example' } }, '@toolwright/n8n'],
    ['of a given plugin', 'acme', { acme: {}, plugins: [{ key: 'acme', name: 'toolwright-acme' }] }, 'toolwright-acme'],
  ])('the settings %s in createToolwright', async (_name, option, options, plugin) => {
    expect(await failureOf(createToolwright(options as never))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: `createToolwright: the option "${option}" is now called "plugins". Pass the plugin of ${plugin} in it.`,
    });
  });
});

describe('a misspelt name of an option is an error with the correct name', () => {
  test.each([
    ['sesion', 'sessionId'],
    ['sesionId', 'sessionId'],
    ['users', 'userId'],
    ['onlog', 'onLog'],
    ['limit', 'limits'],
  ])('%s in execute', async (option, meant) => {
    const { code, message } = await failureOf(toolwright.execute('return 1', { [option]: 'x' } as never));
    expect([code, message]).toEqual([
      'CONFIG_INVALID',
      `execute: unknown option "${option}". Did you mean "${meant}"?`,
    ]);
  });

  test('mcpServer in createToolwright', async () => {
    const { message } = await failureOf(createToolwright({ mcpServer: {} } as never));
    expect(message).toBe('createToolwright: unknown option "mcpServer". Did you mean "mcpServers"?');
  });
});

test.each([
  [{ own: 1 }, /^createToolwright: unknown option "own"\. The options are: config, mcpServers, tools, .*logger\.$/],
  [{ pii: { pattern: {} } }, /^createToolwright: unknown option "pii\.pattern"\. Did you mean "pii\.patterns"\?$/],
  [{ pii: { keep: [] } }, /^createToolwright: unknown option "pii\.keep"\. The options are: mode, .*onFound\.$/],
  [
    { tools: { crm: { descripton: 'x', tools: {} } } },
    /^crm: unknown option "descripton"\. Did you mean "description"\?$/,
  ],
  [
    { tools: { crm: { tools: { find: { inputShema: {}, run: () => 1 } } } } },
    /^crm\.tools\.find: unknown option "inputShema"\. Did you mean "inputSchema"\?$/,
  ],
])('createToolwright refuses the unknown option in %j', async (options, message) => {
  const failure = await failureOf(createToolwright({ sandbox: warmQuickjs(), ...options } as never));
  expect(failure.code).toBe('CONFIG_INVALID');
  expect(failure.message).toMatch(message);
});

test('other methods ignore other unknown options', async () => {
  const result = await toolwright.execute('return 1', { mine: 1, core: {}, 'not-a-plugin': {} } as never);
  expect(result).toMatchObject({ status: 'completed', value: 1 });
});

test.each<[string, Parameters<Toolwright['execute']>[1], string]>([
  ['a limit', { limits: { timeoutMs: '10' as never } }, 'limits.timeoutMs must be a positive whole number, not "10".'],
  ['a session', { sessionId: 5 as never }, 'execute: wrong options. sessionId: expected a string, got 5.'],
  ['check', { check: 'yes' as never }, 'execute: wrong options. check: expected true or false, got a string.'],
])('a wrong type of %s is refused', async (_name, options, message) => {
  expect(await failureOf(toolwright.execute('return 1', options))).toMatchObject({ code: 'CONFIG_INVALID', message });
});

test('a query must be a text or a list of texts', async () => {
  const { message } = await failureOf(toolwright.search({ query: 'x' } as never));
  expect(message).toBe('search takes a text, or a list of texts.');
});
