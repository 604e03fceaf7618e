import type { Mistake } from './mistake.ts';

/** Mistakes of a first program in the forms of other products. Each row is one program; a group has one repair. */

const U1 = { id: 'u1', plan: 'gold' };
const TEA = {
  results: [
    { sku: 'p1', title: 'Tea', price: 4 },
    { sku: 'p2', title: 'Mug', price: 9 },
  ],
  total: 2,
};

function group(repair: Omit<Mistake, 'source' | 'line'>, sources: readonly string[]): Record<string, Mistake> {
  return Object.fromEntries(sources.map((source) => [source.split('\n')[0] ?? '', { source, line: 1, ...repair }]));
}

/** Programs in TypeScript. */
export const TYPESCRIPT_FIRST_CALLS: Readonly<Record<string, Mistake>> = {
  ...group(
    {
      says: ['servers.shop.get_user({id: string})'],
      repaired: `return await servers.shop.get_user({ id: 'u1' })`,
      value: U1,
    },
    [
      `return await mcp.shop.get_user({ id: 'u1' })`,
      `return await mcp.callTool('shop__get_user', { id: 'u1' })`,
      `return await mcp.callTool('shop', 'get_user', { id: 'u1' })`,
      `return await mcp.call_tool('get_user', { id: 'u1' })`,
      `return await client.callTool({ name: 'get_user', arguments: { id: 'u1' } })`,
      `const user = await client.callTool({\n  name: 'shop__get_user',\n  arguments: { id: 'u1' },\n});\nreturn user;`,
      `return await session.call_tool('get_user', { id: 'u1' })`,
      `return await mcpClient.request('shop/get_user', { id: 'u1' })`,
      `return await codemode.get_user({ id: 'u1' })`,
      `return await codemode.shop__get_user({ id: 'u1' })`,
      `return await tools['shop__get_user']({ id: 'u1' })`,
      `return await tools.get_user({ id: 'u1' })`,
      `return await tools.shop.get_user({ id: 'u1' })`,
      `return await tools.fetch_user({ id: 'u1' })`,
      `return await use_mcp_tool('shop', 'get_user', { id: 'u1' })`,
      `return await useMcpTool({ server_name: 'shop', tool_name: 'get_user', arguments: { id: 'u1' } })`,
      `return await callTool('shop__get_user', { id: 'u1' })`,
      `return await executeTool('shop__get_user', { id: 'u1' })`,
      `return await mcp__shop__get_user({ id: 'u1' })`,
      `return await shop__get_user({ id: 'u1' })`,
      `return await functions.shop__get_user({ id: 'u1' })`,
      `return await default_api.shop__get_user({ id: 'u1' })`,
      `return await callMCPTool('shop', 'get_user', { id: 'u1' })`,
      `return await callMCPTool('shop', 'fetch_user', { id: 'u1' })`,
      `return await callMCPTool('shop.get_user', { id: 'u1' })`,
      `return await callMCPTool('shop/get_user', { id: 'u1' })`,
      `return await callMCPTool('get_user', { id: 'u1' })`,
      `return await callMCPTool('mcp__shop__get_user', { id: 'u1' })`,
      `return await callMCPTool('shop__getUser', { id: 'u1' })`,
      `return await callMCPTool('shop__get_user', { arguments: { id: 'u1' } })`,
      `return await callMCPTool('shop__get_user', JSON.stringify({ id: 'u1' }))`,
    ],
  ),
  ...group(
    {
      says: ['servers.shop.find_products({query: string'],
      repaired: `return await servers.shop.find_products({ query: 'tea' })`,
      value: TEA,
    },
    [
      `return await callMCPTool('shop__search_products', { query: 'tea' })`,
      `return await callMCPTool('shop__list_products', { query: 'tea' })`,
      `return await callMCPTool('shop', 'search_products', { query: 'tea' })`,
      `return await mcp.callTool('shop__search_products', { query: 'tea' })`,
    ],
  ),
  ...group(
    {
      says: ['servers.shop.update_order({id: string'],
      repaired: `return await servers.shop.update_order({ id: 'o1', status: 'paid' })`,
      value: { id: 'o1', status: 'paid', changed: true },
      known: ['status'],
    },
    [
      `return await callMCPTool('shop__update_order', { order_id: 'o1', state: 'paid' })`,
      `return await callMCPTool('shop__update_order', { orderId: 'o1', status: 'PAID' })`,
      `return await callMCPTool('shop__edit_order', { id: 'o1', status: 'paid' })`,
      `return await callMCPTool('shop__modify_order', { id: 'o1', status: 'paid' })`,
    ],
  ),
  ...group(
    {
      says: ['date-time such as "2026-01-31T09:00:00Z"'],
      repaired: `return await servers.plan.book({ at: "2026-01-31T09:00:00Z", title: 'Call' })`,
      value: { at: '2026-01-31T09:00:00Z', title: 'Call' },
    },
    [
      `return await callMCPTool('plan__book', { at: 'tomorrow at nine', title: 'Call' })`,
      `return await callMCPTool('plan__book', { at: '9:00', title: 'Call' })`,
    ],
  ),
  'an email without an address': {
    source: `return await callMCPTool('plan__invite', { email: 'ada' })`,
    line: 1,
    says: ['expected an email address'],
    repaired: `return await servers.plan.invite({ email: 'ada@example.com' })`,
    value: { invited: true },
    known: ['example', 'com'],
  },
  'an invented field, taken out of the call': {
    source: `const { items } = await callMCPTool('shop__list_orders', { customer: 'u1' });\nreturn items.length;`,
    line: 1,
    says: ["'items' does not exist on the result", 'orders'],
    repaired: `const { orders } = await callMCPTool('shop__list_orders', { customer: 'u1' });\nreturn orders.length;`,
    value: 2,
  },
  'an invented field of an undeclared result, taken out of the call': {
    source: `const { products } = await callMCPTool('shop__find_products', { query: 'tea' });\nreturn products.map((p) => p.sku);`,
    line: 2,
    says: ['shop__find_products returned {results:'],
    repaired: `const { results } = await callMCPTool('shop__find_products', { query: 'tea' });\nreturn results.map((p) => p.sku);`,
    value: ['p1', 'p2'],
  },
};

/** Programs in Python. */
export const PYTHON_FIRST_CALLS: Readonly<Record<string, Mistake>> = {
  ...group(
    {
      says: ['await servers.shop.get_user(id: str)'],
      repaired: `result = await servers.shop.get_user(id='u1')`,
      value: U1,
    },
    [
      `result = await mcp.call_tool('shop__get_user', {'id': 'u1'})`,
      `result = await mcp.shop.get_user(id='u1')`,
      `result = await session.call_tool('get_user', {'id': 'u1'})`,
      `result = await session.call_tool('shop__get_user', arguments={'id': 'u1'})`,
      `result = await client.call_tool('shop', 'get_user', {'id': 'u1'})`,
      `result = await tools['shop__get_user'](id='u1')`,
      `result = await tools.get_user(id='u1')`,
      `result = await use_mcp_tool('shop', 'get_user', {'id': 'u1'})`,
      `result = await use_mcp_tool(server_name='shop', tool_name='get_user', arguments={'id': 'u1'})`,
      `result = await call_tool('shop__get_user', {'id': 'u1'})`,
      `result = await shop__get_user(id='u1')`,
      `result = await mcp__shop__get_user(id='u1')`,
      `result = default_api.shop__get_user(id='u1')`,
      `result = await invoke('shop__get_user', {'id': 'u1'})`,
      `result = await call_mcp_tool('shop', 'get_user', {'id': 'u1'})`,
    ],
  ),
  'another verb': {
    source: `result = await call_mcp_tool('shop__search_products', {'query': 'tea'})`,
    line: 1,
    says: ['Did you mean shop__find_products?'],
    repaired: `result = await call_mcp_tool('shop__find_products', {'query': 'tea'})`,
    value: TEA,
  },
  'a date in words': {
    source: `result = await call_mcp_tool('plan__book', {'at': 'next monday', 'title': 'Call'})`,
    line: 1,
    says: ['date-time such as "2026-01-31T09:00:00Z"'],
    repaired: `result = await call_mcp_tool('plan__book', {'at': "2026-01-31T09:00:00Z", 'title': 'Call'})`,
    value: { at: '2026-01-31T09:00:00Z', title: 'Call' },
  },
};
