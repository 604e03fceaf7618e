import { afterAll, expect, test } from 'vitest';
import type { Connector } from '../../packages/connectors/src/connector.ts';
import { createBrowserLogin } from '../../packages/server/src/auth/browser-login.ts';
import type { Scope } from '../../packages/server/src/principal.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';
import { until } from '../fixtures/server.ts';

const inputSchema = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] } as const;
const readInput = { type: 'object' } as const;
const annotations = { readOnlyHint: true };
const sent: unknown[] = [];
const bank = {
  tools: {
    pay: { description: 'Pays money to a person', inputSchema, run: async (args: unknown) => sent.push(args) },
    who: { description: 'Reads', inputSchema: readInput, annotations, run: async () => ({ email: 'ann@example.com' }) },
    fail: { description: 'Fails', inputSchema: readInput, annotations, run: () => Promise.reject(new Error('down')) },
  },
};
const logger = { info: () => undefined, error: () => undefined };
const browserLogin = createBrowserLogin({ store: memoryStore(), logger: partial(logger) });
const policy = {
  rules: [
    {
      name: 'pay ann',
      action: 'allow' as const,
      tools: ['bank__pay'],
      arguments: { properties: { to: { const: 'ann' } } },
    },
  ],
  preset: 'careful' as const,
};
const server = await startApi({ browserLogin }, { tools: { bank }, policy, waits: { graceMs: 0 } });
const { url } = server;
afterAll(() => server.close());

const run = async (code: string): Promise<string> =>
  (await ask(`${url}/execute`, { json: { code, check: false } })).body.executionId;
/** The headers of the browser of the local user, who opened a link. */
const link = await (async () => {
  const own = { origin: url, 'x-toolwright-dashboard': '1' };
  const token = await browserLogin.createLink();
  const { headers } = await ask(`${url}/dashboard/session`, { json: { token }, headers: own });
  return { ...own, cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' };
})();

test('the journal has pages, without codes and personal data', async () => {
  const id = await run(`const who = await callMCPTool('bank__who', {}); console.log('x'.repeat(9)); return who.email`);
  const { body } = await ask(`${url}/executions/${id}/journal`);
  const kinds = body.entries.map(({ entry }: { entry: string }) => entry);
  expect([kinds[0], kinds.at(-1)]).toEqual(['start', 'end']);
  expect(kinds).toEqual(expect.arrayContaining(['call', 'answer', 'result']));
  expect(body.entries[0].source).toContain('bank__who');
  const text = JSON.stringify(body);
  expect(text).not.toContain('ann@example.com');
  for (const secret of ['"mac"', '"code":"', '"binding"', '"seed"', '"owner"', '"sealed"'])
    expect(text).not.toContain(secret);
  const calls = await ask(`${url}/executions/${id}/journal?entry=call,answer&limit=1`);
  expect(calls.body).toMatchObject({ entries: [{ entry: 'call', tool: 'bank__who' }], nextAfter: expect.any(Number) });
  const rest = await ask(`${url}/executions/${id}/journal?entry=call,answer&after=${calls.body.nextAfter}`);
  expect(rest.body.entries).toMatchObject([{ entry: 'answer', ok: true }]);
  expect(rest.body.nextAfter).toBeUndefined();
  const big = await run(`return callMCPTool('bank__fail', { to: 'x'.repeat(20000) })`);
  const { entries } = (await ask(`${url}/executions/${big}/journal?entry=call`)).body;
  expect(entries[0].arguments.omittedBytes).toBeGreaterThan(20_000);
  expect((await ask(`${url}/executions/${id}/journal?userId=eve`)).status).toBe(404);
});

test('an execution is exported as a test, compared and replayed', async () => {
  const first = await run(`return Object.keys(await callMCPTool('bank__who', {})).length > 0`);
  const second = await run(`return Object.keys(await callMCPTool('bank__who', {})).length < 0`);
  const file = await ask(`${url}/executions/${first}/test`);
  expect([file.headers.get('content-disposition'), file.body.includes('vitest')]).toEqual(['attachment', true]);
  const computed = await run(`return (await callMCPTool('bank__who', {})).email.length > 0`);
  expect((await ask(`${url}/executions/${computed}/test`)).body).toMatchObject({
    code: 'NOT_SUPPORTED',
    detail: expect.stringContaining('the host computes expressions of its program with personal data'),
  });
  const diff = await ask(`${url}/executions/${first}/diff?with=${second}`);
  expect(diff.body).toMatchObject({
    status: 'different',
    outcome: { before: { value: true }, after: { value: false } },
  });
  expect((await ask(`${url}/executions/${first}/diff?with=${first}`)).body.status).toBe('identical');
  expect((await ask(`${url}/executions/${first}/replay`, { json: {} })).body).toMatchObject({ status: 'identical' });
  for (const path of ['test', `diff?with=${first}&`]) {
    const query = path.includes('?') ? `${path}userId=eve` : `${path}?userId=eve`;
    expect((await ask(`${url}/executions/${second}/${query}`)).status).toBe(404);
  }
});

test('an admin tries a tool under the policy and with redaction; others do not', async () => {
  const call = (name: string, json: object, headers: Record<string, string>) =>
    ask(`${url}/tools/${name}/call`, { json, headers });
  const tried = await call('bank__who', {}, link);
  expect(tried.body).toMatchObject({ status: 'completed', value: { email: expect.stringMatching(/^\[EMAIL_\d+\]$/) } });
  expect((await ask(`${url}/executions/${tried.body.executionId}/calls`)).body.calls).toHaveLength(1);
  const asks = await call('bank__pay', { arguments: { to: "bob'`\u2028</script>" } }, link);
  expect(asks.body).toMatchObject({ status: 'suspended', waitingFor: ['approval'] });
  expect(sent).toEqual([]);
  const { questions } = (await ask(`${url}/executions/${asks.body.executionId}/questions`)).body;
  expect(questions[0].arguments).toEqual({ to: "bob'`\u2028</script>" });
  expect((await call('bank__pay', { arguments: { to: 1 } }, link)).body).toMatchObject({ status: 'failed' });
  expect((await call('bank__none', {}, link)).status).toBe(404);
  expect((await call('bank__who', {}, {})).status).toBe(403);
});

test('tools and servers with any names are described, called, changed and removed', async () => {
  const [slashed, hostile] = ['repos/of/call', `<script>alert('\u202e')</script>\n\u001b[31m"`];
  const tool = { description: 'Reads', inputSchema: readInput, annotations, run: async () => 'read' };
  await server.toolwright.addServer('team/eu', { tools: { [slashed]: tool, [hostile]: tool } });
  const path = (name: string) => `${url}/tools/${`team/eu__${name}`.split('/').map(encodeURIComponent).join('/')}`;
  for (const name of [slashed, hostile]) {
    expect((await ask(path(name))).body).toMatchObject({ name: `team/eu__${name}`, definition: expect.any(String) });
    const called = await ask(`${path(name)}/call`, { json: {}, headers: link });
    // A tool in quarantine counts as one that writes, and a person is asked.
    expect(called.body).toMatchObject(
      name === slashed ? { status: 'completed', value: 'read' } : { status: 'suspended' },
    );
  }
  expect((await ask(`${url}/tools/a/b`)).body).toMatchObject({ code: 'UNKNOWN_TOOL' });
  expect((await ask(`${url}/tools/a/b/call`, { method: 'DELETE' })).headers.get('allow')).toBe('GET, HEAD, POST');
  const entry = `${url}/admin/servers/team-eu`;
  expect((await ask(entry, { headers: link })).body.server).toMatchObject({ name: 'team/eu', slug: 'team-eu' });
  expect((await ask(entry, { method: 'DELETE', headers: link })).status).toBe(204);
  expect((await server.toolwright.servers()).map(({ name }) => name)).toEqual(['bank']);
});

test('servers have their calls, latency and errors', async () => {
  await run(`return callMCPTool('bank__fail', {})`);
  const { servers } = (await ask(`${url}/servers`)).body;
  expect(servers).toMatchObject([{ name: 'bank', state: 'ready', toolCount: 3, lastError: { code: 'TOOL_FAILED' } }]);
  expect(servers[0].calls).toBeGreaterThanOrEqual(servers[0].failed + 1);
  expect(servers[0].p95Ms).toBeGreaterThanOrEqual(servers[0].p50Ms);
});

test('a search has the text for an agent, and the tokens of each tool', async () => {
  const { body } = await ask(`${url}/tools?query=pay money`);
  expect(body.tools[0]).toMatchObject({ name: 'bank__pay', tokens: expect.any(Number) });
  expect(body.text).toContain('servers.bank.pay(');
  expect(body.textTokens).toBeGreaterThan(body.tools[0].tokens / 2);
  const one = await ask(`${url}/tools/bank__pay?detail=schema`);
  expect(one.body.tokens).toBeGreaterThan(20);
});

test('the policy explains a decision, also of settings that are only tested', async () => {
  const explain = async (json: object) =>
    (await ask(`${url}/policy/test`, { json: { tool: 'bank__pay', ...json } })).body;
  expect(await explain({})).toMatchObject({ action: 'depends' });
  expect(await explain({ arguments: { to: 'ann' } })).toMatchObject({ action: 'allow', rule: 'the rule "pay ann"' });
  const other = await explain({ arguments: { to: 'bob' } });
  expect(other).toMatchObject({ action: 'ask', earlier: [{ action: 'allow', key: 'arguments' }] });
  expect(await explain({ policy: { preset: 'readOnly' } })).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(await explain({ policy: { preset: 'open' } })).toMatchObject({ action: 'allow' });
  expect(await explain({ tool: 'bank__none' })).toMatchObject({ status: 404, code: 'UNKNOWN_TOOL' });
});

test('the policy in force is shown to those who may read about all users', async () => {
  const rules = [
    { tools: ['mail__*', 'bank__who'], users: 'ann@example.com', action: 'deny' as const },
    {
      ...{ name: 'small', servers: 'bank', annotations: { readOnlyHint: false }, action: 'allow' as const },
      ...{ argumentGlobs: { to: '*@example.com' }, arguments: { properties: { to: { const: 'bob@example.com' } } } },
      limit: '20 per hour',
    },
  ];
  const tools = [{ servers: 'bank', idempotent: true }];
  let scopes: readonly Scope[] = [];
  const owned = await startApi(
    {
      authenticate: async (context, next) => {
        context.set('principal', { user: 'eve', credential: 'key:1', scopes });
        await next();
      },
    },
    { tools: { bank, mail: bank }, policy: { preset: 'careful', rules, tools } },
  );
  try {
    const read = () => ask(`${owned.url}/policy`);
    expect(await read()).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    scopes = ['executions:decide'];
    expect((await read()).status).toBe(200);
    scopes = ['servers:admin'];
    const { body } = await read();
    expect(body).toEqual({
      preset: 'careful',
      rules: [
        { rule: 'policy.rules[0]', action: 'deny', tools: ['mail__*', 'bank__who'], users: ['ann@example.com'] },
        {
          ...{ rule: 'the rule "small"', action: 'allow', limit: '20 per hour', servers: ['bank'] },
          ...{ annotations: { readOnlyHint: false }, argumentGlobs: { to: [expect.any(String)] } },
          arguments: { properties: { to: { const: expect.stringMatching(/^\[EMAIL_\d+\]$/) } } },
        },
      ],
      tools: [{ servers: ['bank'], idempotent: true }],
    });
    const { body: tested } = await ask(`${owned.url}/policy/test`, { json: { tool: 'bank__pay' } });
    expect(body.rules[tested.earlier.length - 1].rule).toBe(tested.earlier.at(-1).rule);
  } finally {
    await owned.close();
  }
  expect((await ask(`${url}/policy`)).body).toMatchObject({
    preset: 'careful',
    rules: [{ rule: 'the rule "pay ann"' }],
  });
});

test('versions of a skill are compared', async () => {
  const save = (code: string, files: object) =>
    ask(`${url}/skills/sum`, {
      method: 'PUT',
      body: JSON.stringify({ description: 'Adds', code, files }),
      headers: { 'content-type': 'application/json' },
    });
  await save('export function sum(a: number, b: number): number { return a + b; }', { 'notes.md': 'one' });
  const { status } = await save('export function sum(a: number, b: number): number { return b + a; }', {
    'more.md': 'two',
  });
  expect(status).toBe(200);
  const { files } = (await ask(`${url}/skills/sum/diff?from=1&to=2`)).body;
  const byPath = Object.fromEntries(files.map((file: { path: string }) => [file.path, file]));
  expect(byPath['index.ts']).toMatchObject({
    change: 'changed',
    diff: expect.stringContaining('+export function sum'),
  });
  expect([byPath['notes.md'].change, byPath['more.md'].change]).toEqual(['removed', 'added']);
  expect((await ask(`${url}/skills/sum/diff?from=9`)).status).toBe(404);
});

test('a changed definition is shown with its difference, and an admin accepts exactly that one', async () => {
  let description = 'Reads mail';
  let changed = () => {};
  const mail: Connector = {
    name: 'mail',
    status: () => ({ state: 'ready', starts: 1 }),
    tools: async () => [{ name: 'read', description, inputSchema: readInput }],
    call: async () => 'mail',
    onToolsChanged(listener) {
      changed = listener;
      return () => {};
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const login = createBrowserLogin({ store: memoryStore(), logger: partial(logger) });
  const pinned = await startApi({ browserLogin: login }, { connectors: [mail], pin: 'block' });
  try {
    const own = { origin: pinned.url, 'x-toolwright-dashboard': '1' };
    const json = { token: await login.createLink() };
    const { headers } = await ask(`${pinned.url}/dashboard/session`, { json, headers: own });
    const admin = { ...own, cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' };
    const pins = async () => (await ask(`${pinned.url}/pins`)).body;
    const approve = (tools: object[], more: Record<string, string>) =>
      ask(`${pinned.url}/pins/approvals`, { json: { tools }, headers: more });
    expect(await pins()).toMatchObject({ mode: 'block', pins: [{ id: 'mail__read', state: 'accepted' }] });
    description = 'Sends mail';
    changed();
    await until(async () => (await pins()).pins[0].state === 'quarantined');
    const [pin] = (await pins()).pins;
    expect(pin).toMatchObject({ reasons: [{ code: 'changed' }], diff: expect.stringContaining('Sends mail') });
    expect((await approve([{ id: pin.id, fingerprint: pin.fingerprint }], {})).status).toBe(403);
    const stale = await approve([{ id: pin.id, fingerprint: 'other' }], admin);
    expect([stale.status, stale.body.code]).toEqual([409, 'QUESTION_CHANGED']);
    expect((await pins()).pins[0].state).toBe('quarantined');
    const { body } = await approve([{ id: pin.id, fingerprint: pin.fingerprint }], admin);
    expect(body.pins).toMatchObject([{ id: 'mail__read', state: 'accepted', approvedAt: expect.any(String) }]);
  } finally {
    await pinned.close();
  }
});
