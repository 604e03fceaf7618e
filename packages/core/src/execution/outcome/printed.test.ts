import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright } from '../../toolwright.ts';

const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  sandbox: warmQuickjs(),
  tools: { shop: { tools: { find: { run: () => ({ id: 7 }) } } } },
});
afterAll(() => toolwright.close());

test('a program that prints its answer has no note about a missing value, and its output is its printed text', async () => {
  const printed = await toolwright.execute('const { id } = await servers.shop.find({}); console.log(id)');
  expect(printed).toMatchObject({ status: 'completed', logs: [{ text: '7' }], stats: { resultBytes: 0 } });
  expect(printed).not.toHaveProperty('note');
  expect(printed.stats.tokens.output).toBe(1);
});

test.each([
  'console.log("start"); const found = await servers.shop.find({});',
  'console.log("start"); const found = await callMCPTool("shop__find", {});',
])('a program that prints before its last call has the note: %s', async (source) => {
  expect(await toolwright.execute(source)).toMatchObject({
    note: expect.stringContaining('End it with `return value`'),
  });
});
