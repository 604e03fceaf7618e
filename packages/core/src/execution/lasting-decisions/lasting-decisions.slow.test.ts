import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { memoryStore } from '../../../../storage/src/store.ts';
import { createToolwright } from '../../toolwright.ts';
import { openLastingDecisions } from './lasting-decisions.ts';

const opened: { close(): Promise<unknown> }[] = [];
afterAll(async () => {
  for (const each of opened) await each.close();
});

const sent: unknown[] = [];

async function open(
  dataDir: string,
  { description = 'Sends.', rules = [{ tools: 'mail__send', action: 'ask' as const }] as object[] } = {},
) {
  const run = (message: unknown) => {
    sent.push(message);
    return 'sent';
  };
  const toolwright = await createToolwright({
    tools: { mail: { tools: { send: { description, run } } } },
    policy: { rules: rules as never },
    sandbox: 'quickjs',
    waits: { graceMs: 0 },
    dataDir,
    pin: 'off',
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  opened.push(toolwright);
  return toolwright;
}

type Toolwright = Awaited<ReturnType<typeof open>>;
const send = (toolwright: Toolwright, to: string, userId = 'ann') =>
  toolwright.execute(`return callMCPTool('mail__send', { to: ${JSON.stringify(to)} })`, { userId });
/** Sends a mail that waits, and approves it for later executions. */
async function approve(
  toolwright: Toolwright,
  to: string,
  always: { arguments: 'exact' | 'any' | object; expiresAt?: string },
) {
  const waiting = await send(toolwright, to);
  expect(waiting.status).toBe('suspended');
  await toolwright.executions.decide(waiting.executionId, {
    userId: 'ann',
    action: 'approve',
    by: 'Ann',
    always: always as never,
  });
  return waiting.executionId;
}

describe('an approval that lasts', () => {
  test('with exact arguments, holds for the same call of the same user, and names its person', async () => {
    const toolwright = await open(temporaryFolder());
    await approve(toolwright, 'a', { arguments: 'exact' });
    const again = await send(toolwright, 'a');
    expect(again).toMatchObject({ status: 'completed', value: 'sent' });
    const [decided] = await toolwright.executions.decisions(again.executionId, 'ann');
    expect(decided).toMatchObject({ action: 'approve', by: 'Ann' });
    expect((await send(toolwright, 'b')).status).toBe('suspended');
    expect((await send(toolwright, 'a', 'bob')).status).toBe('suspended');
  });

  test('with any arguments, holds after a restart, until it is revoked', async () => {
    const dataDir = temporaryFolder();
    const first = await open(dataDir);
    await approve(first, 'a', { arguments: 'any' });
    await first.close();
    const second = await open(dataDir);
    expect((await send(second, 'b')).status).toBe('completed');
    const [decision, ...others] = await second.lastingDecisions.list('ann');
    expect([decision, others]).toEqual([
      { id: expect.any(String), tool: 'mail__send', arguments: 'any', by: 'Ann', at: expect.any(String) },
      [],
    ]);
    expect(await second.lastingDecisions.list('bob')).toEqual([]);
    await expect(second.lastingDecisions.revoke('bob', decision?.id ?? '')).rejects.toThrow('no lasting decision');
    expect(await second.lastingDecisions.revoke('ann', decision?.id ?? '')).toEqual(decision);
    expect((await send(second, 'b')).status).toBe('suspended');
  });

  test('is void when the definition of the tool changes, and a rule that denies wins', async () => {
    const dataDir = temporaryFolder();
    const first = await open(dataDir);
    await approve(first, 'a', { arguments: 'any' });
    await first.close();
    const changed = await open(dataDir, { description: 'Sends to everybody.' });
    expect((await send(changed, 'a')).status).toBe('suspended');
    await changed.close();
    const denied = await open(dataDir, { rules: [{ tools: 'mail__send', action: 'deny' }] });
    expect(await send(denied, 'a')).toMatchObject({ status: 'failed', error: { code: 'POLICY_DENIED' } });
  });

  test('with a schema, holds for arguments that fit it', async () => {
    const toolwright = await open(temporaryFolder());
    await approve(toolwright, 'x@a.org', {
      arguments: { properties: { to: { type: 'string', pattern: '@a\\.org$' } } },
    });
    expect((await send(toolwright, 'y@a.org')).status).toBe('completed');
    expect((await send(toolwright, 'y@b.org')).status).toBe('suspended');
    expect(await toolwright.lastingDecisions.list('ann')).toMatchObject([{ arguments: 'schema' }]);
  });

  test('for its targets, holds for other contents and smaller amounts of this user, and ends by itself', async () => {
    const toolwright = await open(temporaryFolder());
    const pay = (args: object, userId = 'ann') =>
      toolwright.execute(`return callMCPTool('mail__send', ${JSON.stringify(args)})`, { userId, check: false });
    const approved = {
      ...{ userId: 'ann', action: 'approve' as const, by: 'Ann' },
      always: { arguments: 'targets' as const },
    };
    const first = { to: 'a@b.example', amount: 40, body: 'rent' };
    const { executionId } = await pay(first);
    await toolwright.executions.decide(executionId, approved);
    expect((await pay({ ...first, amount: 39.5, body: 'other' })).status).toBe('completed');
    expect((await pay({ ...first, amount: 41 })).status).toBe('suspended');
    expect((await pay({ ...first, to: 'eve@b.example' })).status).toBe('suspended');
    expect((await pay(first, 'bob')).status).toBe('suspended');
    const [listed] = await toolwright.lastingDecisions.list('ann');
    const days = (Date.parse(listed?.expiresAt ?? '') - Date.now()) / 86_400_000;
    expect([listed?.arguments, Math.round(days)]).toEqual(['targets', 90]);
    expect(JSON.stringify(await toolwright.executions.journal(executionId, 'ann'))).not.toMatch(/scope|amounts/i);
    await toolwright.lastingDecisions.revoke('ann', listed?.id ?? '');
    expect((await pay(first)).status).toBe('suspended');
    const untargeted = (await pay({ body: 'x' })).executionId;
    await expect(toolwright.executions.decide(untargeted, approved)).rejects.toThrow(
      'no targets that later calls could',
    );
    expect(await toolwright.executions.questions(untargeted, 'ann')).toHaveLength(1);
  });

  test.each([
    ['with a denial', { action: 'deny', by: 'Ann', always: { arguments: 'any' } }, 'Only an approval can last'],
    ['without a person', { action: 'approve', always: { arguments: 'any' } }, 'names the person'],
    [
      'of unknown arguments',
      { action: 'approve', by: 'Ann', always: { arguments: 'most' } },
      'must be "exact", "targets", "any"',
    ],
    ['of the past', { action: 'approve', by: 'Ann', always: { arguments: 'any', expiresAt: '2020-01-01' } }, 'past'],
  ])('%s is refused, and nothing is decided', async (_what, request, message) => {
    const toolwright = await open(temporaryFolder());
    const { executionId } = await send(toolwright, 'a');
    const deciding = toolwright.executions.decide(executionId, { userId: 'ann', ...request } as never);
    await expect(deciding).rejects.toThrow(message);
    expect(await toolwright.executions.questions(executionId, 'ann')).toHaveLength(1);
    expect(await toolwright.lastingDecisions.list('ann')).toEqual([]);
  });
});

test('an entry that others have changed counts as none, and an expired decision too', async () => {
  const store = memoryStore();
  const key = randomBytes(32);
  const lasting = openLastingDecisions(store, () => key);
  const binding = { binding: 'b', toolBinding: 't' };
  const call = { tool: 'mail__send', by: 'Ann', binding };
  await lasting.add('ann', call, { arguments: 'any', expiresAt: new Date(Date.now() - 1).toISOString() });
  expect([await lasting.find('ann', binding, {}), await lasting.list('ann')]).toEqual([undefined, []]);
  await lasting.add('ann', call, { arguments: 'any' });
  expect(await lasting.find('ann', binding, {})).toMatchObject({ by: 'Ann' });
  const other = openLastingDecisions(store, () => randomBytes(32));
  expect(await other.find('ann', binding, {})).toBeUndefined();
  await store[Symbol.asyncDispose]();
});
