import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../test/fixtures/warm-sandbox.ts';
import { inProfile } from './in-profile.ts';
import { createToolwright } from './toolwright.ts';

const called: string[] = [];
const tool = (name: string) => ({
  description: `Handles the secret ledger: ${name}`,
  inputSchema: { type: 'object' } as const,
  run: () => {
    called.push(name);
    return name;
  },
});
const folder = temporaryFolder();
const config = join(folder, 'toolwright.json');
const profiles = {
  work: { servers: ['docs'], tools: ['bank__get_*'] },
  home: { servers: ['docs'] },
  wrong: { servers: ['dosc'] },
};
writeFileSync(config, JSON.stringify({ profiles }));
const toolwright = await createToolwright({
  config,
  dataDir: join(folder, 'data'),
  sandbox: warmQuickjs(),
  waits: { graceMs: 0 },
  tools: {
    docs: { tools: { read: tool('docs read') } },
    bank: { tools: { get_balance: tool('balance'), send_money: tool('money') } },
    hidden: { tools: { erase: tool('erase') } },
  },
  policy: { rules: [{ tools: 'bank__send_*', action: 'ask' }] },
});
afterAll(() => toolwright.close());
const work = inProfile(toolwright, 'work');
const HIDDEN = /hidden|erase|send_money/;
const run = async (code: string, from = work) => {
  const result = await from.execute(code);
  return result.status === 'completed' ? result.value : result;
};

describe('a client of a profile', () => {
  it('finds its tools only, by every list and search', async () => {
    expect((await work.tools()).map(({ id }) => id)).toEqual(['bank__get_balance', 'docs__read']);
    expect((await work.servers({ load: true })).map(({ name, toolCount }) => [name, toolCount])).toEqual([
      ['docs', 1],
      ['bank', 1],
    ]);
    const { hits, text } = await work.search('secret ledger', { limit: 50 });
    expect(hits.map(({ id }) => id).sort()).toEqual(['bank__get_balance', 'docs__read']);
    expect(text).not.toMatch(HIDDEN);
    expect(await work.describe('bank')).not.toMatch(HIDDEN);
    const files = work.serverFiles();
    const listed = (await files.list('/servers', true)).map(({ name }) => name).join('\n');
    expect(listed).toContain('docs/read.ts');
    expect(listed).not.toMatch(HIDDEN);
    expect((await files.read('/servers/bank/index.js', 100_000)).toString()).not.toMatch(HIDDEN);
    expect((await toolwright.search('secret ledger', { limit: 50 })).hits).toHaveLength(4);
  });

  it.each(['hidden__erase', 'bank__send_money', 'no__tool'])(
    'gets for %s the error of a tool that does not exist',
    async (id) => {
      const shown = [
        await failureOf(work.describe(id)),
        await failureOf(work.explain(id)),
        await run(`try { await callMCPTool(${JSON.stringify(id)}, {}) } catch ({ message }) { return message }`).then(
          (text) => ({ message: JSON.stringify(text) }),
        ),
      ];
      for (const { message } of shown) {
        expect(message).toContain('work');
        expect(message.replaceAll(id, '')).not.toMatch(HIDDEN);
      }
      expect(called).not.toContain('erase');
    },
  );

  it('calls no other tool by any way', async () => {
    const names = 'const name = ["hidden", "erase"].join("__");';
    const ways = [
      `${names} return callMCPTool(name, {})`,
      `const { erase } = await import("./servers/hidden/index.js"); return erase({})`,
      `const { sendMoney } = await import("./servers/bank/index.js"); return sendMoney({})`,
      `return get_mcp_tool_details("hidden__erase")`,
      `return fs.readFile("/servers/hidden/index.js")`,
    ];
    for (const code of ways) {
      for (const check of [true, false]) {
        const { status } = await work.execute(code, { check });
        expect([code, status]).toEqual([code, 'failed']);
      }
    }
    expect(called).toEqual([]);
    expect(await run('return (await list_mcp_tools()).map(({ name }) => name).sort()')).not.toContain('hidden__erase');
    expect(await run('return Object.keys(await import("./servers/bank/index.js"))')).toEqual([
      'getBalance',
      'get_balance',
    ]);
    expect(await run('return callMCPTool("bank__get_balance", {})')).toBe('balance');
  });

  it('checks programs against its tools', async () => {
    const checked = await work.check('return callMCPTool("hidden__erase", {})');
    expect(checked).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('hidden__erase') } });
    expect(await toolwright.check('return callMCPTool("hidden__erase", {})')).toMatchObject({ status: 'passed' });
  });

  it('chooses no other profile, and changes no server', async () => {
    const options = { profile: '*' };
    expect((await work.tools(options)).map(({ server }) => server)).not.toContain('hidden');
    expect(await run('return callMCPTool("docs__read", {})')).toBe('docs read');
    const escaped = await work.execute('return callMCPTool("hidden__erase", {})', { ...options, check: false });
    expect(escaped).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_TOOL' } });
    expect((await failureOf(work.removeServer('docs'))).code).toBe('NOT_ALLOWED');
    expect(work.profiles()).toEqual([{ name: 'work' }]);
  });

  it('continues and forks no execution that began with more tools', async () => {
    const code = 'await callMCPTool("docs__read", {}); return callMCPTool("bank__send_money", {})';
    const { executionId, status } = await toolwright.execute(code);
    expect(status).toBe('suspended');
    const looks = [
      () => work.executions.get(executionId),
      () => work.executions.resume(executionId),
      () => work.executions.fork(executionId, { at: 0, code: 'return callMCPTool("hidden__erase", {})' }),
      () => work.executions.decide(executionId, { action: 'approve', by: 'ada' }),
      () => work.executions.questions(executionId),
      () => work.executions.cancel(executionId),
      () => work.skills().saveExecution(executionId, { name: 'x', description: 'x' }),
    ];
    for (const look of looks) expect((await failureOf(look())).code).toBe('UNKNOWN_EXECUTION');
    expect((await work.executions.find({ limit: 200 })).executions.map(({ id }) => id)).not.toContain(executionId);
    expect((await work.executions.list({ limit: 200 })).executions.map(({ id }) => id)).not.toContain(executionId);
    expect((await toolwright.executions.get(executionId)).status).toBe('suspended');
  });

  it('keeps its profile when an execution is forked by somebody with all tools', async () => {
    const first = await work.execute('await callMCPTool("docs__read", {}); return 1');
    expect(await toolwright.executions.get(first.executionId)).toMatchObject({ profile: 'work' });
    const code = 'await callMCPTool("docs__read", {}); return callMCPTool("hidden__erase", {})';
    const fork = await toolwright.executions.fork(first.executionId, { at: 1, code });
    expect(fork).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('hidden__erase') } });
    expect(await work.executions.get(fork.executionId)).toMatchObject({ profile: 'work' });
    expect(called).not.toContain('erase');
  });
});

it('a wrong profile raises its problem, and the others work', async () => {
  const { code, message } = await failureOf(inProfile(toolwright, 'wrong').search('read'));
  expect([code, message]).toEqual(['CONFIG_INVALID', expect.stringMatching(/^profiles\.wrong\.servers\[0\]: "dosc"/)]);
  expect((await failureOf(inProfile(toolwright, 'none').execute('return 1'))).message).toContain('no profile "none"');
  expect((await inProfile(toolwright, 'home').tools()).map(({ id }) => id)).toEqual(['docs__read']);
});

it('the default profile holds where nobody chooses', async () => {
  const own = join(folder, 'default.json');
  writeFileSync(own, JSON.stringify({ profiles, defaultProfile: 'home' }));
  const tools = { docs: { tools: { read: tool('docs read') } }, bank: { tools: { get_balance: tool('balance') } } };
  await using limited = await createToolwright({
    config: own,
    dataDir: join(folder, 'other'),
    sandbox: warmQuickjs(),
    tools,
  });
  expect((await limited.tools()).map(({ id }) => id)).toEqual(['docs__read']);
  expect(await limited.execute('return callMCPTool("bank__get_balance", {})')).toMatchObject({ status: 'failed' });
  expect((await limited.tools({ profile: '*' })).map(({ id }) => id)).toEqual(['bank__get_balance', 'docs__read']);
  expect((await inProfile(limited, 'work').tools()).map(({ id }) => id)).toContain('bank__get_balance');
});
