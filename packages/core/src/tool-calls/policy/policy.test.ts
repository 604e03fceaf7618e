import { expect, it } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { newRedactor, resolvedTool } from '../../../../../test/fixtures/tool-calls.ts';
import { type PolicySettings, policySchema } from '../../config/policy/schema.ts';
import { errorKind, ToolwrightError } from '../../errors.ts';
import type { AskPerson, CallQuestion } from '../call.ts';
import { UnredactedError } from '../redaction/unredacted-error.ts';
import { createPolicy } from './create-policy.ts';
import { applyPolicy } from './policy.ts';

async function open(settings: PolicySettings, ask: AskPerson = () => Promise.reject(new Error('nobody is asked'))) {
  const redactor = newRedactor();
  await redactor.redact('ada@example.com');
  const policy = createPolicy(policySchema.parse(settings)).forExecution({ userId: 'ada' });
  const ending = new AbortController();
  const call = { number: 3, request: 7, tool: 'crm__find', args: { to: '[EMAIL_1]' } };
  const restored = { args: { to: 'ada@example.com' }, written: new Map<string, string>() };
  const apply = async () =>
    applyPolicy(call, restored, resolvedTool(), partial({ policy, ask, signal: ending.signal }));
  return { apply, call, ending };
}

const ASK: PolicySettings = { rules: [{ name: 'all mail', argumentGlobs: { to: 'ada@*' }, action: 'ask' }] };

it('decides on values, and raises errors without them', async () => {
  const { apply } = await open({
    rules: [{ name: 'not Ada', argumentGlobs: { to: 'ada@example.com' }, action: 'deny' }],
  });
  const failure = await failureOf(apply());
  expect(failure).toMatchObject({ code: 'POLICY_DENIED', details: { tool: 'crm__find', rule: 'the rule "not Ada"' } });
  expect(failure.message).toBe(
    'The policy denies this call of crm__find: the rule "not Ada". Nothing was sent. Use another tool or other arguments, or ask the operator to change the policy.',
  );
  expect(errorKind(failure.code)).toBe('user');
});

it('asks with the real arguments, and goes on when a person approves', async () => {
  const questions: CallQuestion[] = [];
  const { apply, call } = await open(ASK, async (question) => {
    questions.push(question);
    return { number: 3, action: 'approve' };
  });
  expect(await apply()).toEqual({});
  const { tool } = resolvedTool();
  const args = { to: 'ada@example.com' };
  const scope = { fixed: ['[["to"],"ada@example.com"]', '{"name":["to"]}'], amounts: {} };
  expect(questions).toEqual([{ kind: 'approval', call, tool, rule: 'the rule "all mail"', args, scope }]);
});

it('refuses a call that nobody approves in time', async () => {
  const { apply } = await open(ASK, async () => ({ number: 3, action: 'expired' }));
  const failure = await failureOf(apply());
  expect(failure.code).toBe('APPROVAL_EXPIRED');
  expect(failure.message).toMatch(/^Nobody approved this call of crm__find in time: the rule "all mail"\./);
});

it('marks the reason of a person as text to redact', async () => {
  const { apply } = await open(ASK, async () => ({ number: 3, action: 'deny', note: 'not ada@example.com' }));
  await expect(apply()).rejects.toMatchObject({
    constructor: UnredactedError,
    error: { code: 'APPROVAL_DENIED', message: expect.stringContaining('The reason: not ada@example.com') },
  });
});

it('passes on any failure of the question, and the end of the execution', async () => {
  await expect((await open(ASK, () => Promise.reject(new TypeError('x')))).apply()).rejects.toThrow(TypeError);
  const opened = await open(ASK, async () => {
    opened.ending.abort(new ToolwrightError('CANCELLED', 'over'));
    return { number: 3, action: 'approve' };
  });
  expect((await failureOf(opened.apply())).code).toBe('CANCELLED');
});
