import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { ToolwrightOptions } from '../../packages/core/src/options.ts';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { n8nPlugin } from '../../packages/n8n/src/plugin.ts';
import { readJournal, temporaryFolder } from '../fixtures/bridge-host.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { startFakeN8n } from '../fixtures/n8n-server.ts';
import { needsPlainPython, plainPythonSandbox } from '../fixtures/plain-python.ts';
import { fixture } from '../fixtures/server.ts';

type Policy = NonNullable<ToolwrightOptions['policy']>;

const ends: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Starts a Toolwright with the server `bank`, which writes each call that reaches it to a file. */
async function openBank(policy?: Policy, options: ToolwrightOptions = {}) {
  const dataDir = temporaryFolder();
  const file = join(dataDir, 'received.jsonl');
  const bank = fixture('bank', file);
  const toolwright = await createToolwright({
    dataDir,
    mcpServers: { bank },
    sandbox: 'quickjs',
    waits: { graceMs: 0 },
    ...(policy ? { policy } : {}),
    ...options,
  });
  ends.push(() => toolwright.close());
  const received = () =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  return { toolwright, received, dataDir, bank };
}

type ExecuteOptions = NonNullable<Parameters<Toolwright['execute']>[1]>;

async function run(toolwright: Toolwright, source: string, options: ExecuteOptions = {}): Promise<unknown> {
  const result = await toolwright.execute(source, options);
  if (result.status === 'completed') return result.value;
  if (result.status === 'failed') throw new Error(`${result.error.code}: ${result.error.message}`);
  throw new Error(result.status);
}

/** A program that returns the outcome of one call: its result, or the code and message of its error. */
const calling = (tool: string, args: object = {}) =>
  `return callMCPTool(${JSON.stringify(tool)}, ${JSON.stringify(args)}).catch((error) => error.code + ': ' + error.message)`;

const NO_DELETES: Policy = { rules: [{ name: 'no deletes', tools: 'bank__delete_*', action: 'deny' }] };
const DENIED =
  /^POLICY_DENIED: The policy denies this call of bank__delete_account: the rule "no deletes"\. Nothing was sent\./;

describe('a denied call does not reach the server', () => {
  test('by name, and the error has the rule', async () => {
    const { toolwright, received } = await openBank(NO_DELETES);
    expect(await run(toolwright, calling('bank__delete_account', { of: 'ada' }))).toMatch(DENIED);
    expect(received()).toEqual([]);
    expect(await run(toolwright, calling('bank__refund', { to: 'ada' }))).toBe('done refund');
    expect(received()).toEqual([{ name: 'refund', to: 'ada' }]);
  });

  test('by a generated module, also from the file of a tool', async () => {
    const { toolwright, received } = await openBank(NO_DELETES);
    const value = await run(
      toolwright,
      `import { deleteAccount } from './servers/bank/index.js';
       import other from './servers/bank/delete_account.ts';
       const failures = await Promise.allSettled([deleteAccount({ of: 'ada' }), other({ of: 'ada' })]);
       return failures.map(({ reason }) => reason.code);`,
    );
    expect([value, received()]).toEqual([['POLICY_DENIED', 'POLICY_DENIED'], []]);
  });

  test('by a skill', async () => {
    const { toolwright, received } = await openBank(NO_DELETES);
    await toolwright.skills().save({
      name: 'close-account',
      description: 'Closes an account',
      code: `export const main = async ({ of }: { of: string }) => callMCPTool('bank__delete_account', { of });`,
    });
    await expect(run(toolwright, `return run_skill('close-account', { of: 'ada' })`)).rejects.toThrow(
      /the rule "no deletes"/,
    );
    expect(received()).toEqual([]);
  });

  needsPlainPython.it('by a Python program', async () => {
    const { toolwright, received } = await openBank(NO_DELETES, { sandbox: plainPythonSandbox() });
    const program = [
      'from servers.bank import delete_account, refund',
      'await refund(to="ada", amount=1)',
      'try:',
      '    await delete_account(of="ada")',
      'except Exception as error:',
      '    result = str(error)',
    ].join('\n');
    expect(await run(toolwright, program, { language: 'python' })).toMatch(/the rule "no deletes"/);
    expect(received()).toEqual([{ name: 'refund', to: 'ada', amount: 1 }]);
  });

  test('by the n8n connector', async () => {
    const n8n = await startFakeN8n();
    ends.push(async () => n8n[Symbol.asyncDispose]());
    const plugin = n8nPlugin({ url: n8n.url, apiKey: n8n.key, catalog: 'example', policy: { write: true } });
    const { toolwright } = await openBank({ preset: 'read-only' }, { plugins: [plugin] });
    const value = await run(
      toolwright,
      `import * as workflows from './servers/n8n-workflows/index.js';
       await workflows.listWorkflows();
       const created = await workflows.createWorkflow({ name: 'x', nodes: [], connections: {} }).catch(({ code }) => code);
       return created;`,
    );
    expect(value).toBe('POLICY_DENIED');
    expect(n8n.requests).toContain('GET /api/v1/workflows');
    expect(n8n.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  });

  test('over HTTP, for the user of the request', async () => {
    const dataDir = temporaryFolder();
    const file = join(dataDir, 'received.jsonl');
    const bank = fixture('bank', file);
    const api = await startApi(
      {},
      { dataDir, mcpServers: { bank }, policy: { rules: [{ users: 'local', action: 'deny' }] } },
    );
    ends.push(() => api.close());
    const response = await ask(`${api.url}/execute`, { json: { code: calling('bank__refund') } });
    expect(response.body).toMatchObject({ value: expect.stringMatching(/^POLICY_DENIED/) });
    expect(existsSync(file)).toBe(false);
  });
});

test('an n8n tool acts on the argument that the policy has read, not on one in its options', async () => {
  const n8n = await startFakeN8n();
  ends.push(() => n8n[Symbol.asyncDispose]());
  const settings = { write: true, allow: ['delete' as const] };
  const plugin = n8nPlugin({ url: n8n.url, apiKey: n8n.key, catalog: 'example', policy: settings });
  const rules: Policy['rules'] = [
    { tools: '*__deleteWorkflow', arguments: { properties: { id: { pattern: '^draft-' } } }, action: 'allow' },
    { tools: '*__deleteWorkflow', action: 'deny' },
  ];
  const { toolwright } = await openBank({ rules }, { plugins: [plugin] });
  for (const options of [`{ id: 'live-1' }`, `'{"id":"live-1"}'`]) {
    const source = `return callMCPTool('n8n-workflows__deleteWorkflow', { id: 'draft-1', options: ${options} }).catch(({ message }) => message)`;
    expect(await run(toolwright, source, { check: false })).toMatch(/draft-1/);
  }
  expect(n8n.requests.join()).not.toContain('live-1');
});

test('the policy of the configuration file applies', async () => {
  const folder = temporaryFolder();
  const received = join(folder, 'received.jsonl');
  const bank = fixture('bank', received);
  const config = join(folder, 'toolwright.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { bank }, policy: { preset: 'read-only' } }));
  const toolwright = await createToolwright({ config, dataDir: folder, sandbox: 'quickjs' });
  ends.push(() => toolwright.close());
  expect(await run(toolwright, calling('bank__set_name'))).toMatch(/^POLICY_DENIED.*the preset "read-only"/);
  expect(await run(toolwright, calling('bank__get_balance'))).toBe('done get_balance');
  expect(readFileSync(received, 'utf8')).toBe('{"name":"get_balance"}\n');
});

test('a wrong policy is refused with the path of its mistake', async () => {
  const wrong = { rules: [{ tools: 'bank__*', action: 'forbid' }] } as never;
  const typo: Policy = { rules: [{ tools: 'bnak__*', action: 'deny' }] };
  await expect(openBank(typo)).rejects.toThrow(
    'policy.rules[0].tools: "bnak__*" matches no server. Did you mean the server "bank"?',
  );
  await expect(createToolwright({ policy: wrong })).rejects.toThrow(
    /^createToolwright: wrong options\. policy\.rules\[0\]\.action: expected "allow" or "ask" or "deny", got a string\.$/,
  );
});

describe('rules see the restored arguments', () => {
  const OURS: Policy = {
    preset: 'read-only',
    rules: [
      {
        tools: 'bank__refund',
        arguments: { properties: { to: { pattern: '^[^@\\s]+@example\\.com$' } } },
        action: 'allow',
      },
    ],
  };

  test('and errors, the journal and the program see placeholders', async () => {
    const { toolwright, received, dataDir } = await openBank(OURS);
    const sessionId = (await toolwright.sessions.create()).id;
    const refund = (to: string) => run(toolwright, calling('bank__refund', { to, amount: 5 }), { sessionId });
    await toolwright.pii.redact('ada@example.com and eve@evil.com', { sessionId });
    expect(await refund('[EMAIL_1]')).toBe('done refund');
    expect(await refund('[EMAIL_2]')).toMatch(/^POLICY_DENIED/);
    expect(received()).toEqual([{ name: 'refund', to: 'ada@example.com', amount: 5 }]);
    const { executions } = await toolwright.executions.list();
    const journals = executions.map(({ id }) => readFileSync(join(dataDir, 'executions', `${id}.jsonl`), 'utf8'));
    const denied = journals.filter((journal) => journal.includes('POLICY_DENIED'));
    expect(denied).toHaveLength(1);
    expect(denied[0]).toMatch(/"tool":"bank__refund","arguments":\{"to":"\[EMAIL_2\]"/);
    expect(journals.join()).not.toMatch(/evil\.com|ada@/);
  });

  test('and arguments of another type, or none, are not allowed', async () => {
    const { toolwright, received } = await openBank(OURS);
    for (const args of [{}, { amount: 5 }, { to: 'eve@evil.com\n@example.com' }, { to: '' }]) {
      expect(await run(toolwright, calling('bank__refund', args))).toMatch(/^POLICY_DENIED/);
    }
    const list = `return callMCPTool('bank__refund', { to: ['eve@evil.com'] }).catch(({ code }) => code)`;
    expect(await run(toolwright, list, { check: false })).toBe('INVALID_ARGUMENTS');
    expect(received()).toEqual([]);
  });
});

test('the preset careful asks about calls that are not read-only', async () => {
  const { toolwright, received } = await openBank({
    preset: 'careful',
    tools: [{ tools: 'bank__set_name', readOnly: true }],
  });
  const asked = await toolwright.execute(calling('bank__refund'));
  expect(asked).toMatchObject({
    status: 'suspended',
    pending: [{ tool: 'bank__refund', rule: 'the preset "careful"' }],
  });
  await run(toolwright, calling('bank__get_balance'));
  await run(toolwright, calling('bank__set_name'));
  expect(received().map(({ name }) => name)).toEqual(['get_balance', 'set_name']);
});

describe('limits', () => {
  const tenRefunds = `const all = await Promise.allSettled(Array.from({ length: 10 }, (_, amount) => callMCPTool('bank__refund', { amount })));
    return all.filter(({ status }) => status === 'fulfilled').length`;

  test('hold for parallel calls of one execution, and the journal has the calls that used them', async () => {
    const { toolwright, received, dataDir } = await openBank({
      preset: 'read-only',
      rules: [{ tools: 'bank__refund', action: 'allow', limit: '3 per execution' }],
    });
    const result = await toolwright.execute(tenRefunds);
    expect(result).toMatchObject({ status: 'completed', value: 3 });
    expect(received()).toHaveLength(3);
    const entries = readJournal(join(dataDir, 'executions', `${result.executionId}.jsonl`));
    const used = entries.filter((entry) => entry.entry === 'call' && entry.limit !== undefined);
    expect(used).toHaveLength(3);
    expect(await run(toolwright, tenRefunds)).toBe(3);
  });

  test('per hour hold for all executions of a user', async () => {
    const { toolwright, received } = await openBank({
      preset: 'read-only',
      rules: [{ tools: 'bank__refund', action: 'allow', limit: '13 per hour' }],
    });
    const values = await Promise.all(
      ['ada', 'ada', 'ada', 'bea'].map((userId) => run(toolwright, tenRefunds, { userId })),
    );
    expect(
      values
        .slice(0, 3)
        .map(Number)
        .reduce((a, b) => a + b),
    ).toBe(13);
    expect([values[3], received().length]).toEqual([10, 23]);
  });
});

test('rules over users and sessions decide by the caller of the execution', async () => {
  const { toolwright, received } = await openBank({
    preset: 'read-only',
    rules: [{ users: 'ada', sessions: 'pay-*', action: 'allow' }],
  });
  const call = (options: ExecuteOptions) =>
    run(toolwright, calling('bank__refund'), { createSession: true, ...options });
  expect(await call({ userId: 'ada', sessionId: 'pay-1' })).toBe('done refund');
  expect(await call({ userId: 'ada', sessionId: 'other' })).toMatch(/^POLICY_DENIED/);
  expect(await call({ userId: 'bea', sessionId: 'pay-2' })).toMatch(/^POLICY_DENIED/);
  expect(received()).toHaveLength(1);
});
