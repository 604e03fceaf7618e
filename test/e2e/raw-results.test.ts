import { afterAll, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { fixture } from '../fixtures/server.ts';

const EMAIL = 'grace.hopper@navy.example';
const { command, args } = fixture('people');
const people = JSON.stringify({ linked: { email: EMAIL } });
const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  mcpServers: { crm: { command, args: [...(args ?? []), people] } },
  sandbox: 'quickjs',
});
afterAll(() => toolwright.close());

test('a program sees links, annotations and _meta in a raw result, redacted, and the same data as before without it', async () => {
  const result = await toolwright.execute(
    `const linked = await callMCPTool('crm__linked', {}, { raw: true });
return { linked, data: await callMCPTool('crm__linked', {}) };`,
  );
  expect([result.status, Reflect.get(result, 'error')]).toEqual(['completed', undefined]);
  const { linked, data } = Reflect.get(result, 'value');
  expect(data).toEqual({ id: 7 });
  expect(linked).toEqual({
    content: [
      {
        type: 'resource_link',
        uri: expect.stringMatching(/^crm:\/\/x\?\[EMAIL_\d+\]$/),
        name: 'card',
        annotations: { audience: ['user'], priority: 0.5 },
      },
      { type: 'text', text: '{"id":7}', _meta: { by: linked._meta.by } },
    ],
    structuredContent: { id: 7 },
    _meta: { 'crm/etag': 'v1', by: expect.stringMatching(/^\[EMAIL_\d+\]$/) },
  });
  expect(JSON.stringify(result)).not.toContain(EMAIL);
});

test('a raw result has types, and teaches no result type', async () => {
  const check = (code: string) => toolwright.check(code);
  expect(
    await check(`const { content } = await callMCPTool('crm__prose', {}, { raw: true }); content.map((b) => b.text)`),
  ).toMatchObject({ status: 'passed' });
  const wrong = await check(`const raw = await callMCPTool('crm__prose', {}, { raw: true }); return raw.meta`);
  expect(wrong).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('meta') } });
  const misspelled = await check(`return callMCPTool('crm__defined', { count: 'x' }, { raw: true })`);
  expect(misspelled).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('count') } });
  const unknown = await check(`return callMCPTool('crm__prosa', {}, { raw: true })`);
  expect(unknown).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('crm__prosa') } });
  await toolwright.execute(`await callMCPTool('crm__json', {}, { raw: true })`);
  expect(await toolwright.describe('crm__json', 'signature')).not.toContain('observed');
});
