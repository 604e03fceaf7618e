import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { memoryStore } from '../../../../storage/src/store.ts';
import { policySchema } from '../../config/policy/schema.ts';
import { createPolicy } from './create-policy.ts';
import { sharedHours } from './shared-hours.ts';

const config = policySchema.parse({ preset: 'read-only', rules: [{ action: 'allow', limit: '2 per hour' }] });
const tool = { id: 'bank__pay', server: 'bank', definition: { name: 'pay', inputSchema: {} } } as never;

it('two processes of a cluster count the calls of a user together', async () => {
  const store = memoryStore();
  const [one, two] = [createPolicy(config, sharedHours(store)), createPolicy(config, sharedHours(store))];
  const call = async (policy: typeof one, userId: string) => {
    const execution = policy.forExecution({ userId });
    await turn();
    return execution.decide(tool, {}).action;
  };
  const actions: string[] = [];
  for (const policy of [one, two, one, two]) {
    actions.push(await call(policy, 'ada'));
    await turn();
  }
  expect(actions).toEqual(['allow', 'allow', 'deny', 'deny']);
  expect(await call(two, 'bob')).toBe('allow');
});

it('a process counts its own calls while the store is away', async () => {
  const away = () => Promise.reject(new Error('away'));
  const policy = createPolicy(config, sharedHours({ get: away, increment: away }));
  const { decide } = policy.forExecution({ userId: 'ada' });
  expect([1, 2, 3].map(() => decide(tool, {}).action)).toEqual(['allow', 'allow', 'deny']);
  await turn();
});
