import { expect, it } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { newRedactor, resolvedTool } from '../../../../test/fixtures/tool-calls.ts';
import { errorKind, ToolwrightError } from '../errors.ts';
import type { ApprovalQuestion, ToolCallContext } from './call.ts';
import { createPolicy } from './policy/create-policy.ts';
import { type PolicySettings, policySchema } from './policy/schema.ts';
import { applyPolicy } from './policy.ts';
import { UnredactedError } from './unredacted-error.ts';

async function open(settings: PolicySettings, approve?: ToolCallContext['approve']) {
  const redactor = newRedactor();
  await redactor.redact('ada@example.com');
  const policy = createPolicy(policySchema.parse(settings)).forExecution({ userId: 'ada' });
  const ending = new AbortController();
  const call = { number: 3, request: 7, tool: 'crm__find', args: { to: '[EMAIL_1]' } };
  const restored = { args: { to: 'ada@example.com' } };
  const apply = () => applyPolicy(call, restored, resolvedTool(), { policy, approve, redactor, signal: ending.signal });
  return { apply, ending };
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

it('asks with the real and the redacted arguments', async () => {
  const questions: ApprovalQuestion[] = [];
  const { apply } = await open(ASK, async (question) => void questions.push(question));
  expect(await apply()).toEqual({ action: 'ask', rule: 'the rule "all mail"' });
  expect(questions).toEqual([
    {
      call: 3,
      request: 7,
      tool: resolvedTool().tool,
      rule: 'the rule "all mail"',
      arguments: { to: 'ada@example.com' },
      redactedArguments: { to: '[EMAIL_1]' },
    },
  ]);
});

it('refuses a call when nobody can be asked', async () => {
  const { apply } = await open(ASK);
  const failure = await failureOf(apply());
  expect(failure.code).toBe('APPROVAL_UNAVAILABLE');
  expect(failure.message).toMatch(
    /^A person must approve this call of crm__find: the rule "all mail"\. Nobody can be asked/,
  );
});

it('marks the reason of a person as text to redact', async () => {
  const { apply } = await open(ASK, () => Promise.reject(new ToolwrightError('POLICY_DENIED', 'not ada@example.com')));
  await expect(apply()).rejects.toBeInstanceOf(UnredactedError);
});

it('passes on any other failure of the approval, and the end of the execution', async () => {
  await expect((await open(ASK, () => Promise.reject(new TypeError('x')))).apply()).rejects.toThrow(TypeError);
  const opened = await open(ASK, async () => opened.ending.abort(new ToolwrightError('CANCELLED', 'over')));
  expect((await failureOf(opened.apply())).code).toBe('CANCELLED');
});
