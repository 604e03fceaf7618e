import { describe, expect, it } from 'vitest';
import { policyOf, toolOf } from '../../../../../test/fixtures/policies.ts';
import { type PolicySettings, policySchema } from '../../config/policy/schema.ts';
import { createExecutionCounts, createHourCounts, limitOf } from './limits.ts';

const HOUR_MS = 3_600_000;

describe('limits', () => {
  const settings: PolicySettings = { preset: 'read-only', rules: [{ action: 'allow', limit: '2 per execution' }] };
  const actions = (policy: ReturnType<ReturnType<typeof policyOf>['forExecution']>, count: number) =>
    Array.from({ length: count }, () => policy.decide(toolOf('crm__add'), {}).action);

  it('a rule that is used up no longer matches, in each execution for itself', () => {
    const policy = policyOf(settings);
    expect(actions(policy.forExecution({ userId: 'ada' }), 3)).toEqual(['allow', 'allow', 'deny']);
    expect(actions(policy.forExecution({ userId: 'ada' }), 1)).toEqual(['allow']);
  });

  it('a resumed execution continues its counts', () => {
    const policy = policyOf(settings);
    const key = policy.forExecution({ userId: 'ada' }).decide(toolOf('crm__add'), {}).limit?.key ?? '';
    expect(actions(policy.forExecution({ userId: 'ada', usedLimits: [key, 'other'] }), 2)).toEqual(['allow', 'deny']);
  });

  it('a rule per hour is counted for each user, in all executions', () => {
    const policy = policyOf({ preset: 'read-only', rules: [{ action: 'allow', limit: '2 per hour' }] });
    expect(actions(policy.forExecution({ userId: 'ada' }), 1)).toEqual(['allow']);
    expect(actions(policy.forExecution({ userId: 'ada' }), 2)).toEqual(['allow', 'deny']);
    expect(actions(policy.forExecution({ userId: 'bea' }), 1)).toEqual(['allow']);
  });

  it('an hour starts with the first call after the last hour ended', () => {
    let now = 0;
    const [rule] = policySchema.parse({ rules: [{ action: 'allow', limit: '1 per hour' }] }).rules;
    const limit = rule && limitOf(rule);
    if (!limit) throw new Error('no limit');
    const counts = createExecutionCounts(createHourCounts(() => now).of('ada'));
    counts.use(limit);
    now = HOUR_MS - 1;
    expect(counts.isUsedUp(limit)).toBe(true);
    now = HOUR_MS;
    expect(counts.isUsedUp(limit)).toBe(false);
    counts.use(limit);
    now = 2 * HOUR_MS - 1;
    expect(counts.isUsedUp(limit)).toBe(true);
  });

  it('counts a bounded number of users, and allows a new one nothing beyond it', () => {
    let now = 0;
    const hours = createHourCounts(() => now);
    const limit = { key: 'k', count: 5, per: 'hour' } as const;
    for (let user = 0; user < 100_000; user++) hours.of(`user ${user}`).use(limit);
    expect(hours.of('new').isUsedUp(limit)).toBe(true);
    expect(hours.of('user 7').isUsedUp(limit)).toBe(false);
    now = HOUR_MS;
    expect(hours.of('new').isUsedUp(limit)).toBe(false);
  });
});
