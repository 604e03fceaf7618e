import { expect, it } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { memoryStore } from '../../../../storage/src/store.ts';
import { storedRecentTools } from '../instructions/stored-recent-tools.ts';
import { storedUsage } from '../usage/stored-usage.ts';

const tool = (id: string) => ({ id, call: `callMCPTool("${id}")` });
const result = (status: string, executionId: string) =>
  ({
    status,
    executionId,
    stats: { totalMs: 1.6, toolCalls: 2, toolErrors: 1, toolResultBytes: 10, tokens: { code: 3, output: 4 } },
  }) as never;

it('recent tools of two processes are one list for each user', async () => {
  const store = memoryStore();
  const [one, two] = [storedRecentTools(store), storedRecentTools(store)];
  await Promise.all([one.add('ada', [tool('a__x')]), two.add('ada', [tool('a__y')])]);
  await one.add('ada', [tool('a__z')]);
  const ids = (await storedRecentTools(store).of('ada')).map(({ id }) => id);
  expect([ids[0], ids.sort()]).toEqual(['a__z', ['a__x', 'a__y', 'a__z']]);
  expect(await storedRecentTools(store).of('bob')).toEqual([]);
  await one.add('eve', [{ id: 'a__x', call: 'x\ny' }]);
  expect(await two.of('eve')).toEqual([]);
});

it('recent tools stay in memory while the store fails', async () => {
  const away = () => Promise.reject(new Error('away'));
  const recent = storedRecentTools(partial({ get: away, put: away }));
  await recent.add('ada', [tool('a__x')]);
  expect(await recent.of('ada')).toEqual([tool('a__x')]);
});

it('costs of two processes are added up by user and session, and the last program is known to both', async () => {
  const store = memoryStore();
  const [one, two] = [storedUsage(store), storedUsage(store)];
  await one.add('ada', 's1', result('completed', 'e1'));
  await two.add('ada', undefined, result('failed', 'e2'));
  const all = { executions: 2, completed: 1, failed: 1, totalMs: 4, toolCalls: 4, codeTokens: 6, outputTokens: 8 };
  expect(await two.of('ada')).toMatchObject(all);
  expect(await two.of('ada', 's1')).toMatchObject({ executions: 1, completed: 1, failed: 0 });
  expect(await one.of('bob')).toMatchObject({ executions: 0 });
  expect([await two.lastCompleted('ada'), await two.lastCompleted('bob')]).toEqual(['e1', undefined]);
});

it('an execution is not lost with the store that counts it', async () => {
  const away = () => Promise.reject(new Error('away'));
  await storedUsage(partial({ get: away, put: away, increment: away })).add('ada', 's1', result('completed', 'e1'));
});
