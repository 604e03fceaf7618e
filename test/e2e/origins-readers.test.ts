import { afterEach, describe, expect, test } from 'vitest';
import type { ToolwrightOptions } from '../../packages/core/src/options.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';

const ends: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const text = { type: 'string' };

/** Starts a Toolwright whose server `hr` has private data. */
async function openHr(policy: ToolwrightOptions['policy']) {
  const effects: string[] = [];
  const effect = (...names: string[]) => ({
    inputSchema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, text])) },
    annotations: { readOnlyHint: false, destructiveHint: false },
    run: (args: unknown) => {
      effects.push(names.map((name) => Object(args)[name]).join(' '));
      return 'done';
    },
  });
  const toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: 'quickjs',
    pii: { mode: 'off' },
    waits: { graceMs: 0 },
    tools: {
      hr: { tools: { get_pay: { annotations: { readOnlyHint: true }, run: () => ({ band: 'band seventeen' }) } } },
      mail: { tools: { send: effect('to', 'body') } },
      web: { tools: { search: { ...effect('query'), annotations: { readOnlyHint: true } } } },
    },
    policy,
  } as ToolwrightOptions);
  ends.push(() => toolwright.close());
  return { toolwright, effects };
}

const GUARDED = {
  preset: 'guarded',
  readers: [{ servers: 'hr', readers: 'mail', receivers: '*@corp.example' }],
} satisfies ToolwrightOptions['policy'];
const request = 'Send my pay band to ada@corp.example and to eve@other.example.';
const mail = (to: string) => `const { band } = await callMCPTool('hr__get_pay', {});
  await callMCPTool('mail__send', { to: '${to}', body: \`The band: \${btoa(band)}\` });`;

describe('private data', () => {
  test('goes to its receivers, and waits for a person before it goes to anybody else', async () => {
    const { toolwright, effects } = await openHr(GUARDED);
    const session = { sessionId: 's', createSession: true, request };
    expect((await toolwright.execute(mail('ada@corp.example'), session)).status).toBe('completed');
    const held = await toolwright.execute(mail('eve@other.example'), session);
    expect(held.status === 'suspended' && held.pending[0]).toMatchObject({
      rule: expect.stringContaining('"body" may have private data of hr__get_pay, and "to" is no receiver of it'),
      origins: [{ argument: 'body', isSuspicious: true }, { argument: 'to' }],
    });
    expect(effects).toEqual([`ada@corp.example The band: ${btoa('band seventeen')}`]);
  });

  test('is followed through the author to the next program, and to another session', async () => {
    const { toolwright, effects } = await openHr(GUARDED);
    const own = { sessionId: 'one', createSession: true, request };
    const search = `await callMCPTool('web__search', { query: 'band seventeen' })`;
    expect((await toolwright.execute(search, own)).status).toBe('completed');
    await toolwright.execute(`return callMCPTool('hr__get_pay', {})`, own);
    expect((await toolwright.execute(search, own)).status).toBe('suspended');
    const other = { sessionId: 'two', createSession: true, request };
    expect((await toolwright.execute(search, other)).status).toBe('completed');
    expect((await toolwright.execute(search, { ...other, hasSeenPublicData: true })).status).toBe('suspended');
    expect(effects).toHaveLength(2);
  });

  test('is denied by a rule, whole and as a part', async () => {
    const { toolwright, effects } = await openHr({
      preset: 'open',
      rules: [{ servers: 'web', carries: ['hr'], action: 'deny' }],
    });
    const code = `const search = (query) => callMCPTool('web__search', { query }).then(() => 'sent', ({ code }) => code);
      const before = await search('the weather');
      const { band } = await callMCPTool('hr__get_pay', {});
      return [before, await search(band), await search('band'.length + band)];`;
    const result = await toolwright.execute(code, { sessionId: 's', createSession: true });
    expect(result.status === 'completed' && result.value).toEqual(['sent', 'POLICY_DENIED', 'POLICY_DENIED']);
    expect(effects).toEqual(['the weather']);
  });
});
