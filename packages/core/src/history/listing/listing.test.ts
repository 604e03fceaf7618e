import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { until } from '../../../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright } from '../../toolwright.ts';

test('executions of another process of the data folder are found, and followers get them', async () => {
  const made = { dataDir: temporaryFolder(), sandbox: warmQuickjs() };
  await using server = await createToolwright(made);
  await using other = await createToolwright(made);
  const { executions } = server;
  expect((await executions.find()).executions).toEqual([]);
  const following = new AbortController();
  const followed: string[] = [];
  const feed = (async () => {
    for await (const batch of executions.follow({ all: true, signal: following.signal }))
      followed.push(...batch.executions.map(({ id }) => id));
  })();
  const { executionId } = await other.execute('return 1');
  await until(async () => (await executions.find()).executions.some(({ id }) => id === executionId));
  await until(() => followed.includes(executionId));
  following.abort();
  await feed;
});
