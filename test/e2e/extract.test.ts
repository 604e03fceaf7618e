import { afterEach, describe, expect, test } from 'vitest';
import type { ToolwrightOptions } from '../../packages/core/src/options.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';

const ends: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const BODY = `Hello,\nthe invoice is due on 3 May 2026.\nAmount: 1,250.00 EUR\nContact: ada.lovelace@example.org\n`;
const properties = { due: { type: 'string' }, amount: { type: 'number' }, to: { type: 'string' } };

/** Starts a Toolwright with a mail of a stranger, and tools whose effects are in `effects`. */
async function open(policy: ToolwrightOptions['policy'], options: ToolwrightOptions = {}) {
  const effects: unknown[] = [];
  const annotations = { readOnlyHint: false, destructiveHint: false };
  const effect = (description: string) => ({
    ...{ description, annotations, inputSchema: { type: 'object', properties } },
    run: (args: unknown) => void effects.push(args),
  });
  const read = { description: 'Reads a mail', annotations: { readOnlyHint: true }, run: () => ({ body: BODY }) };
  const toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: options.sandbox ?? 'quickjs',
    waits: { graceMs: 0 },
    tools: { mail: { tools: { read } }, bank: { tools: { plan: effect('Plans'), note: effect('Notes') } } },
    policy,
    ...options,
  } as ToolwrightOptions);
  ends.push(() => toolwright.close());
  return { toolwright, effects };
}

const SCHEMA = `{ type: 'object', properties: { due: { type: 'string', format: 'date' }, amount: { type: 'number' }, contact: { type: 'string', format: 'email' } } }`;
const READ = `const { body } = await callMCPTool('mail__read', {}); const found = await extract(body, ${SCHEMA});`;
const TYPED = { due: ['request', 'extracted:date'], amount: ['extracted:number'] };
const rules = [{ tools: 'bank__plan', from: TYPED, action: 'allow' as const }];
const session = { sessionId: 's', createSession: true, request: 'Plan the payment of the invoice.' };

describe('extract', () => {
  test('returns placeholders of personal data, and the tool receives the values', async () => {
    const { toolwright, effects } = await open({ preset: 'open' });
    const source = `${READ} await callMCPTool('bank__note', { to: found.contact }); return found`;
    const result = await toolwright.execute(source, session);
    expect(result).toMatchObject({
      value: { due: '2026-05-03', amount: 1250, contact: expect.stringMatching(/^\[EMAIL_\d+\]$/) },
    });
    expect(effects).toEqual([{ to: 'ada.lovelace@example.org' }]);
  });

  test.each(['typescript', 'python'] as const)(
    'a rule accepts its typed values from public text, in %s',
    async (language) => {
      const sandbox = language === 'python' ? { sandbox: 'pyodide' as const } : {};
      const { toolwright, effects } = await open({ preset: 'guarded', rules }, sandbox);
      const python = `found = await extract((await call_mcp_tool("mail__read", {}))["body"], ${SCHEMA.replaceAll(/(\w+):/g, '"$1":')})
await call_mcp_tool("bank__plan", {"due": found["due"], "amount": found["amount"]})`;
      const typescript = `${READ} await callMCPTool('bank__plan', { due: found.due, amount: found.amount });`;
      const result = await toolwright.execute({ typescript, python }[language], { language, ...session });
      expect([result.status, effects]).toEqual(['completed', [{ due: '2026-05-03', amount: 1250 }]]);
    },
  );

  test.each([
    ['a value that extract did not return', `{ due: '2026-05-04', amount: found.amount }`],
    ['a value that the program computed from it', `{ due: found.due, amount: found.amount * 2 }`],
    ['a value of another type', `{ due: found.contact, amount: found.amount }`],
    ['a text in the place of a number', `{ due: body, amount: found.amount }`],
  ])('a rule does not accept %s', async (_name, args) => {
    const { toolwright, effects } = await open({ preset: 'careful', rules });
    const result = await toolwright.execute(`${READ} await callMCPTool('bank__plan', ${args})`, session);
    expect([result.status, effects]).toEqual(['suspended', []]);
  });

  test('an extracted receiver keeps the label of its text', async () => {
    const { toolwright, effects } = await open({ preset: 'guarded' });
    const result = await toolwright.execute(`${READ} await callMCPTool('bank__note', { to: found.contact })`, session);
    expect([result.status, effects]).toEqual(['suspended', []]);
    expect(result).toMatchObject({ pending: [{ rule: expect.stringContaining('"to" is extracted as email, from') }] });
  });

  test('a continued execution still knows what extract returned', async () => {
    const { toolwright, effects } = await open({ preset: 'guarded', rules });
    const source = `${READ} await callMCPTool('bank__note', { to: found.contact }); await callMCPTool('bank__plan', { due: found.due, amount: found.amount })`;
    const waiting = await toolwright.execute(source, session);
    await toolwright.executions.decide(waiting.executionId, { action: 'approve' });
    const ended = await toolwright.executions.resume(waiting.executionId);
    expect([ended.status, effects.length]).toEqual(['completed', 2]);
  });

  test('a model without tools reads a text that rules cannot read, and sees no personal data', async () => {
    const asked: unknown[] = [];
    const { toolwright } = await open(
      { preset: 'open' },
      {
        sampling: { model: 'test/reader', maxRequests: 1 },
        onSampling: async ({ server, model, params }) => {
          asked.push({ server, model, params });
          return { role: 'assistant', content: { type: 'text', text: '{"data":{"payee":"[EMAIL_1]"}}' } };
        },
      },
    );
    const schema = `{ type: 'object', properties: { payee: { type: 'string', format: 'email' }, other: { type: 'string', format: 'email' } } }`;
    const source = `const { body } = await callMCPTool('mail__read', {});
      return [await extract(body, ${schema}), await extract(body, ${schema}).catch((error) => error.message)]`;
    const result = await toolwright.execute(source, session);
    expect(result).toMatchObject({ value: [{ payee: '[EMAIL_1]' }, expect.stringContaining('more than 1 answers')] });
    expect(asked).toEqual([{ server: 'extract', model: 'test/reader', params: expect.anything() }]);
    expect(JSON.stringify(asked)).not.toContain('lovelace');
    expect(JSON.stringify(asked)).toContain('[EMAIL_1]');
  });

  test('a rule with an unknown type is a wrong configuration', async () => {
    const policy = { rules: [{ from: { due: ['extracted:day'] }, action: 'allow' as const }] };
    await expect(open(policy)).rejects.toThrow('extracted:date, extracted:date-time');
  });
});
