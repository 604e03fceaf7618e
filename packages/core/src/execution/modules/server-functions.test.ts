import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright } from '../../toolwright.ts';

const named = (name: string) => ({
  inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  run: ({ id = '' }: { readonly id?: string }) => `${name} ${id}`,
});
const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  sandbox: warmQuickjs(),
  tools: {
    shop: { tools: { get_item: named('item'), 'list-items': named('list'), delete: named('gone') } },
    a: { tools: { b__c: named('of a') } },
    a__b: { tools: { c: named('of a__b') } },
    'help-desk': { tools: { find: named('found') } },
  },
});
afterAll(() => toolwright.close());

test.each([
  ['servers.shop.get_item({ id: "1" })', 'item 1'],
  ['servers.shop.getItem({ id: "1" })', 'item 1'],
  ['servers.shop.get_item("1")', 'item 1'],
  ['servers.shop.get_item()', 'item '],
  ['servers.shop["list-items"]({})', 'list '],
  ['servers.shop.listItems({})', 'list '],
  ['servers.shop.delete({})', 'gone '],
  ['servers.a.b__c({})', 'of a '],
  ['servers.a__b.c({})', 'of a__b '],
  ['servers["help-desk"].find({})', 'found '],
])('%s calls its tool', async (source, value) => {
  expect(await toolwright.execute(source)).toMatchObject({ status: 'completed', value });
});

test('a call with one object reads the file of its tool, not the module of the server', async () => {
  const { executionId } = await toolwright.execute('servers.shop.get_item({ id: "1" })');
  const read = await toolwright.executions.exportTest(executionId);
  expect(read).toContain('/servers/shop/get_item.js');
  expect(read).not.toContain('/servers/shop/index.js */');
  expect(read).not.toContain('"/servers/shop/index.js"');
});
