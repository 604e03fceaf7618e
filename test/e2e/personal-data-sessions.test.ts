import { randomBytes } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, test } from 'vitest';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../packages/core/src/toolwright.ts';
import { namespaceOf } from '../../packages/pii/src/vault/keys/session-key.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { openStore } from '../../packages/storage/src/open.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { textOf, WITH_DATA } from '../fixtures/mcp-clients.ts';
import { partial } from '../fixtures/partial.ts';
import { needsRedis, startRedis } from '../fixtures/redis.ts';
import { until } from '../fixtures/server.ts';

const SEND = (to: string) => `return callMCPTool('mail__send', { to: '${to}' })`;
const LIST = "return (await callMCPTool('crm__list')).map(({ email }) => email)";
const opened: Toolwright[] = [];
afterEach(async () => {
  for (const toolwright of opened.splice(0)) await toolwright.close();
});

/** Opens a Toolwright with a CRM and a mail server. Records the sent mails. */
async function open(options: ToolwrightOptions) {
  const sent: unknown[] = [];
  const toolwright = await createToolwright({
    sandbox: 'quickjs',
    check: false,
    ...options,
    tools: {
      crm: { tools: { list: { run: async () => [{ email: 'ada@example.com' }, { email: 'bob@example.com' }] } } },
      mail: { tools: { send: { run: async (args) => void sent.push(args) } } },
    },
  });
  opened.push(toolwright);
  return { toolwright, sent };
}

describe('a session', () => {
  it('keeps its placeholders across executions and restarts, and no other session has them', async () => {
    const dataDir = temporaryFolder();
    const { toolwright } = await open({ dataDir });
    const { id } = await toolwright.sessions.create();
    expect(await toolwright.execute(LIST, { sessionId: id })).toMatchObject({ value: ['[EMAIL_1]', '[EMAIL_2]'] });
    await toolwright.close();

    const again = await open({ dataDir });
    await again.toolwright.execute(SEND('[EMAIL_2]'), { sessionId: id });
    expect(again.sent).toEqual([{ to: 'bob@example.com' }]);
    const { id: other } = await again.toolwright.sessions.create();
    const alien = await again.toolwright.execute(SEND('[EMAIL_2]'), { sessionId: other });
    expect(alien).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_PLACEHOLDER' } });
    expect(await again.toolwright.execute(SEND('[EMAIL_2]'))).toMatchObject({ error: { code: 'UNKNOWN_PLACEHOLDER' } });
    expect(again.sent).toHaveLength(1);

    expect(await again.toolwright.pii.restore('[EMAIL_1]', { sessionId: id })).toBe('ada@example.com');
    expect(await again.toolwright.pii.forget('ADA@example.com', { sessionId: id })).toBe(0);
    expect(await again.toolwright.pii.forget('ada@EXAMPLE.com', { sessionId: id })).toBe(1);
    await expect(again.toolwright.pii.restore('[EMAIL_1]', { sessionId: id })).rejects.toMatchObject({
      code: 'UNKNOWN_PLACEHOLDER',
    });
    await expect(again.toolwright.pii.restore('x', { sessionId: id, userId: 'eve' })).rejects.toMatchObject({
      code: 'UNKNOWN_SESSION',
    });
  });

  it('loses its values when it is removed', async () => {
    const dataDir = temporaryFolder();
    const { toolwright } = await open({ dataDir });
    await toolwright.execute(LIST, { sessionId: 'chosen', createSession: true });
    await toolwright.sessions.remove('chosen');
    const { error } = (await toolwright.execute(SEND('[EMAIL_1]'), { sessionId: 'chosen', createSession: true })) as {
      error?: { code: string };
    };
    expect(error?.code).toBe('UNKNOWN_PLACEHOLDER');
  });

  it("that is removed while its program runs keeps none of the program's later values", async () => {
    const dataDir = temporaryFolder();
    let session = '';
    const remove = async () => {
      await toolwright.sessions.remove(session);
      return { email: 'ada@example.com' };
    };
    const toolwright = await createToolwright({
      dataDir,
      sandbox: 'quickjs',
      check: false,
      tools: { own: { tools: { remove: { run: remove } } } },
    });
    opened.push(toolwright);
    session = (await toolwright.sessions.create()).id;
    const reported = await toolwright.execute("return (await callMCPTool('own__remove')).email", {
      sessionId: session,
    });
    expect(reported).toMatchObject({ value: expect.stringMatching(/^\[EMAIL_\d+\]$/) });
    await using store = openStore('sqlite', dataDir);
    expect(await store.get(namespaceOf({ user: 'local', session }), ['key'])).toEqual([undefined]);
  });

  it('of another master key is locked: no value is returned, and the error names the required key', async () => {
    const dataDir = temporaryFolder();
    const keyOf = (text: string | undefined) => {
      if (text === undefined) delete process.env.TOOLWRIGHT_MASTER_KEY;
      else process.env.TOOLWRIGHT_MASTER_KEY = text;
    };
    try {
      keyOf(randomBytes(32).toString('base64'));
      const first = await open({ dataDir });
      await first.toolwright.execute(LIST, { sessionId: 's', createSession: true });
      keyOf(randomBytes(32).toString('hex'));
      const { toolwright } = await open({ dataDir });
      const locked = await toolwright.execute("console.log('ada@example.com'); return 'ada@example.com'", {
        sessionId: 's',
      });
      expect(locked).toMatchObject({ status: 'failed', error: { code: 'VAULT_LOCKED' }, logs: [] });
      expect(JSON.stringify(locked)).not.toContain('ada@');
      keyOf('dG9vIHNob3J0');
      await expect(open({ dataDir })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('must be 32 bytes in base64 or hex, and is 9 bytes'),
      });
    } finally {
      keyOf(undefined);
    }
  });

  needsRedis.it('fails closed and fast while Redis hangs', async () => {
    const redis = await startRedis();
    const { toolwright, sent } = await open({ dataDir: temporaryFolder(), store: redis.url });
    const { id } = await toolwright.sessions.create();
    expect(await toolwright.execute(LIST, { sessionId: id })).toMatchObject({ value: ['[EMAIL_1]', '[EMAIL_2]'] });
    redis.hang();
    for (const code of [LIST, SEND('[EMAIL_1]'), "return 'eve@example.com'"]) {
      const hung = await toolwright.execute(code, { sessionId: id });
      expect(hung).toMatchObject({ status: 'failed', error: { code: 'STORE_UNAVAILABLE' }, logs: [] });
      expect(JSON.stringify(hung)).not.toMatch(/ada@|eve@/);
    }
    expect(sent).toEqual([]);
    redis.resume();
    const resumed = () => toolwright.execute(LIST, { sessionId: id });
    await expect.poll(resumed, { timeout: 10_000 }).toMatchObject({ value: ['[EMAIL_1]', '[EMAIL_2]'] });
    await redis.stop();
  });

  needsRedis.it('is unavailable while Redis is down, and continues after its restart', async () => {
    const redis = await startRedis();
    const { toolwright, sent } = await open({ dataDir: temporaryFolder(), store: redis.url });
    const { id } = await toolwright.sessions.create();
    expect(await toolwright.execute(LIST, { sessionId: id })).toMatchObject({ value: ['[EMAIL_1]', '[EMAIL_2]'] });
    await redis.kill();
    const down = await toolwright.execute(`console.log('eve@example.com'); ${LIST}`, { sessionId: id });
    expect(down).toMatchObject({ status: 'failed', error: { code: 'STORE_UNAVAILABLE' }, logs: [] });
    expect(JSON.stringify(down)).not.toMatch(/ada@|eve@/);
    expect(await toolwright.execute(SEND('[EMAIL_1]'), { sessionId: id })).toMatchObject({ status: 'failed' });
    expect(sent).toEqual([]);
    await redis.restart();
    const { id: next } = await toolwright.sessions.create();
    // The client of Redis connects again at its next attempt.
    await until(async () => (await toolwright.execute(LIST, { sessionId: next })).status === 'completed');
    await redis.stop();
  });
});

test('without a session, placeholders are valid in the next executions of the same user only', async () => {
  const { toolwright, sent } = await open({ dataDir: temporaryFolder() });
  const first = await toolwright.execute(LIST, { userId: 'ada' });
  const [, second] = (first as unknown as { value: string[] }).value;
  expect(second).toBe('[EMAIL_2]');
  await toolwright.execute(SEND(String(second)), { userId: 'ada' });
  expect(sent).toEqual([{ to: 'bob@example.com' }]);
  expect(await toolwright.execute(SEND(String(second)), { userId: 'eve' })).toMatchObject({
    error: { code: 'UNKNOWN_PLACEHOLDER' },
  });
});

test('pii.mode "off" leaves everything unchanged, and invalid settings are reported at once', async () => {
  const { toolwright } = await open({ dataDir: temporaryFolder(), pii: { mode: 'off' } });
  expect(await toolwright.execute(LIST)).toMatchObject({ value: ['ada@example.com', 'bob@example.com'] });
  const dataDir = temporaryFolder();
  for (const [pii, code, message] of [
    [{ clear: ['crn'] }, 'CONFIG_INVALID', 'pii.clear: unknown server "crn". Servers: crm, mail.'],
    [{ policy: { flows: { crn: [] } } }, 'CONFIG_INVALID', 'pii.policy.flows: unknown server "crn".'],
    [{ ignore: ['EMIAL'] }, 'CONFIG_INVALID', 'pii.ignore: unknown type "EMIAL". Did you mean EMAIL?'],
    [{ policy: { tools: { '*': { email: 'deny' } } } }, 'CONFIG_INVALID', 'pii.policy.tools: unknown type "email"'],
    [
      { policy: { derivations: { ZZZ: [] } } },
      'CONFIG_INVALID',
      'pii.policy.derivations: unknown type "ZZZ". The types are: SECRET, IBAN, ',
    ],
    [{ patterns: { x1: '(a)(?=b)' } }, 'PATTERN_INVALID', 'time is not linear'],
    [{ patterns: { x1: '(' } }, 'PATTERN_INVALID', 'The pattern "x1" is invalid'],
    [{ policy: { tools: { '*': { EMAIL: 'alow' as never } } } }, 'CONFIG_INVALID', 'contains "alow". Use one of'],
  ] as const) {
    await expect(open({ dataDir, pii })).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  }
  const detectors = [{ name: 'own', detect: () => [] }];
  const own = { detectors, patterns: { order: 'A-[0-9]+' }, ignore: ['order'], policy: { derivations: { ZZZ: [] } } };
  await open({ dataDir, pii: own });
  await expect(open({ dataDir, store: 'mysql://x' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

describe.each(['legacy', '2026-07-28'])('restore_pii for a client of the era %s', (era) => {
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

  it('shows the values to the user, and the model receives only a confirmation', async () => {
    const { toolwright } = await open({ dataDir: temporaryFolder(), pii: { restoreTool: true } });
    const personalData = { isReplaced: true, canBeShown: true };
    const endpoint = mcpEndpoint(
      mcpServers({ open: async () => toolwright, profile: 'full', personalData, logger: partial(silent) }),
      partial(silent),
    );
    const mode = era === 'legacy' ? ('legacy' as const) : { pin: era };
    const client = new Client(
      { name: 'c', version: '1' },
      { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
    );
    const shown: unknown[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      shown.push(params.message);
      return { action: 'accept', content: {} };
    });
    const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), {});
    await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
    const { id: session } = await toolwright.sessions.create();
    await toolwright.execute(LIST, { sessionId: session });
    const call = async (text: string) =>
      client.callTool({ name: 'restore_pii', arguments: { text, session }, ...WITH_DATA });
    const answer = await call('Write to [EMAIL_1]?');
    expect([textOf(answer), answer.structuredContent]).toEqual(['The user has seen it.', { shown: true }]);
    expect(shown).toEqual(['Write to ada@example.com?']);
    const forged = await call('[EMAIL_9]');
    expect([forged.isError, shown.at(-1)]).toEqual([undefined, expect.stringContaining('[EMAIL_9]')]);
    await client.close();
    await endpoint.close();
  });

  it('does not exist by default', async () => {
    const { toolwright } = await open({ dataDir: temporaryFolder() });
    for (const [personalData, expected] of [
      [undefined, ['sanitize_pii']],
      [{ isReplaced: false, canBeShown: true }, []],
    ] as const) {
      const options = {
        open: async () => toolwright,
        profile: 'full' as const,
        logger: silent,
        ...(personalData ? { personalData } : {}),
      };
      const endpoint = mcpEndpoint(mcpServers({ ...options, logger: partial(silent) }), partial(silent));
      const mode = era === 'legacy' ? ('legacy' as const) : { pin: era };
      const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
      const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), {});
      await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names.filter((name) => name.endsWith('_pii'))).toEqual(expected);
      await client.close();
      await endpoint.close();
    }
  });
});

test('the command line wraps the keys of all vaults again, and forgets a value', async () => {
  const desk = openDesk({});
  const [before, after] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const run = ['run', '-e', "return 'ada@example.com'", '--session', 's1'];
  desk.env.TOOLWRIGHT_MASTER_KEY = before;
  expect(await desk.run(run)).toMatchObject({ code: 0, out: '[EMAIL_1]\n' });
  desk.env.TOOLWRIGHT_MASTER_KEY = after;
  desk.env.TOOLWRIGHT_OLD_MASTER_KEYS = before;
  expect(await desk.run(['pii', 'rotate'])).toMatchObject({
    code: 0,
    out: 'Encrypted 2 vaults with the current key; 0 used it already.\n',
  });
  desk.env.TOOLWRIGHT_OLD_MASTER_KEYS = '';
  expect(await desk.run(run)).toMatchObject({ code: 0, out: '[EMAIL_1]\n' });
  expect(await desk.run(['pii', 'forget', 'ada@example.com', '--session', 's1'])).toMatchObject({
    out: '1 placeholders no longer resolve.\n',
  });
  expect(await desk.run(run)).toMatchObject({ code: 0, out: '[EMAIL_2]\n' });
  expect(await desk.run(['pii', 'forget', 'ada@example.com'])).toMatchObject({ code: 2 });
});

test('without a session, numbers are small, and no process uses one again', async () => {
  const dataDir = temporaryFolder();
  const list = async (toolwright: Toolwright) =>
    (await toolwright.execute(LIST, { userId: 'ada' })) as unknown as { value: string[] };
  const first = await open({ dataDir });
  const others = await open({ dataDir });
  const [before, parallel] = [(await list(first.toolwright)).value, (await list(others.toolwright)).value];
  await first.toolwright.close();
  const restarted = await open({ dataDir });
  const after = (await list(restarted.toolwright)).value;
  expect([before, parallel, after]).toEqual([
    ['[EMAIL_1]', '[EMAIL_2]'],
    ['[EMAIL_3]', '[EMAIL_4]'],
    ['[EMAIL_5]', '[EMAIL_6]'],
  ]);
  expect(await restarted.toolwright.execute(SEND('[EMAIL_2]'), { userId: 'ada' })).toMatchObject({
    error: { code: 'UNKNOWN_PLACEHOLDER' },
  });
  expect(await list(restarted.toolwright)).toMatchObject({ value: after });
});
