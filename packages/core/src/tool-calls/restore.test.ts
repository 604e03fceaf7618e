import { expect, it } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { newRedactor, resolvedTool } from '../../../../test/fixtures/tool-calls.ts';
import { restoreArguments } from './restore.ts';

it('replaces placeholders by values, and keeps their spelling for errors', async () => {
  const redactor = newRedactor();
  await redactor.redact('ada@example.com');
  const call = { number: 1, tool: 'crm__find', args: { to: '[EMAIL_1]', size: 2 } };
  const restored = await restoreArguments(call, resolvedTool(), { redactor });
  expect(restored).toEqual({
    args: { to: 'ada@example.com', size: 2 },
    written: new Map([['ada@example.com', '[EMAIL_1]']]),
  });
});

it('applies the policy of the called tool, and audits its id', async () => {
  const audited: unknown[] = [];
  const redactor = newRedactor({
    policy: { tools: { crm__find: { EMAIL: 'deny' } } },
    audit: (record) => void audited.push([record.event, record.tool]),
  });
  await redactor.redact('ada@example.com');
  const call = { number: 1, tool: 'crm__find', args: { to: '[EMAIL_1]' } };
  const failure = await failureOf(restoreArguments(call, resolvedTool(), { redactor }));
  expect([failure.code, audited]).toEqual(['PII_DENIED', [['denial', 'crm__find']]]);
});

it('raises UNKNOWN_PLACEHOLDER', async () => {
  const call = { number: 1, tool: 'crm__find', args: { to: '[EMAIL_7]' } };
  const failure = await failureOf(restoreArguments(call, resolvedTool(), { redactor: newRedactor() }));
  expect(failure.code).toBe('UNKNOWN_PLACEHOLDER');
});
