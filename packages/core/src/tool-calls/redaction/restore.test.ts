import { expect, it } from 'vitest';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { newRedactor, resolvedTool } from '../../../../../test/fixtures/tool-calls.ts';
import type { Redactor } from '../../../../pii/src/redaction/redactor.ts';
import type { ResolvedTool } from '../../catalog/resolved-tool.ts';
import type { ToolCall } from '../call.ts';

/** Restores the arguments of a call as the pipeline does. */
async function restoreArguments({ args }: ToolCall, { tool }: ResolvedTool, redactor: Redactor) {
  const { id, server, definition } = tool;
  return redactor.restoreArguments(args, { tool: id, server, isLocal: definition.isLocal });
}

it('replaces placeholders by values, and keeps their spelling for errors', async () => {
  const redactor = newRedactor();
  await redactor.redact('ada@example.com');
  const call = { number: 1, tool: 'crm__find', args: { to: '[EMAIL_1]', size: 2 } };
  const restored = await restoreArguments(call, resolvedTool(), redactor);
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
  const failure = await failureOf(restoreArguments(call, resolvedTool(), redactor));
  expect([failure.code, audited]).toEqual(['PII_DENIED', [['denial', 'crm__find']]]);
});

it('raises UNKNOWN_PLACEHOLDER', async () => {
  const call = { number: 1, tool: 'crm__find', args: { to: '[EMAIL_7]' } };
  const failure = await failureOf(restoreArguments(call, resolvedTool(), newRedactor()));
  expect(failure.code).toBe('UNKNOWN_PLACEHOLDER');
});

it('keeps the placeholders that a local function may not receive, and never denies its call', async () => {
  const audited: unknown[] = [];
  const redactor = newRedactor({
    policy: { tools: { '*': { EMAIL: 'deny', PHONE: 'mask' } } },
    audit: (record) => void audited.push([record.event, record.placeholder]),
  });
  await redactor.redact(
    'ada@example.com, +1 202-555-0143, SSN 219-09-9999, 4111 1111 1111 1111, IBAN DE89370400440532013000',
  );
  const placeholders = ['[EMAIL_1]', '[PHONE_1]', '[SSN_1]', '[CREDIT_CARD_1]', '[~EMAIL_1]'];
  const call = { number: 1, tool: 'crm__find', args: { kept: placeholders, iban: '[IBAN_1]' } };
  const restored = await restoreArguments(call, resolvedTool(undefined, { isLocal: true }), redactor);
  expect(restored.args).toEqual({ kept: placeholders, iban: 'DE89370400440532013000' });
  expect(audited).toEqual([['restore', 'IBAN_1']]);
  const result = await redactor.redactResult(restored.args, { server: 'crm', isLocal: true });
  expect(result.guestValue).toEqual({ kept: placeholders, iban: '[IBAN_1]' });
  // The function did not return the restricted values, so its server may still not receive them.
  const other = { ...call, args: { x: '[SSN_1]' } };
  expect((await failureOf(restoreArguments(other, resolvedTool(), redactor))).code).toBe('PII_DENIED');
});
