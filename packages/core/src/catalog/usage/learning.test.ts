import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { memoryStore } from '../../../../storage/src/store.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../toolwright.ts';
import { USAGE_NAMESPACE } from './user-records.ts';

const tool = (description: string) => ({ description, run: () => 'done' });
const TOOLS = {
  kitchen: { tools: { plan_week: tool('Arranges dishes over seven days.') } },
  calendar: { tools: { plan_meeting: tool('Arranges a meeting.'), plan_trip: tool('Arranges a trip.') } },
  office: { tools: { plan_budget: tool('Arranges the budget of a team.') } },
};
const QUERY = 'plan what the family eats';
const opened: Toolwright[] = [];
afterAll(async () => {
  for (const each of opened) await each.close();
});

async function open(options: ToolwrightOptions = {}): Promise<Toolwright> {
  const all: ToolwrightOptions = { sandbox: warmQuickjs(), tools: TOOLS, dataDir: temporaryFolder(), ...options };
  const toolwright = await createToolwright(all);
  opened.push(toolwright);
  return toolwright;
}

async function ids(toolwright: Toolwright, query: string, userId: string): Promise<string[]> {
  return (await toolwright.search(query, { userId })).hits.map(({ id }) => id);
}

it('learns from a program that searches and calls, for its user, across a restart, unless it is off', async () => {
  const dataDir = temporaryFolder();
  const first = await open({ dataDir });
  const before = await ids(first, QUERY, 'bob');
  expect(before[0]).not.toBe('kitchen__plan_week');
  const source = `await search_tools(['${QUERY}', 'eat ada@example.com 1234567']); return callMCPTool('kitchen__plan_week', {})`;
  expect(await first.execute(source, { userId: 'ada', check: false })).toMatchObject({ status: 'completed' });
  expect((await ids(first, QUERY, 'ada'))[0]).toBe('kitchen__plan_week');
  expect(await ids(first, QUERY, 'bob')).toEqual(before);
  await first.close();

  const second = await open({ dataDir });
  expect((await ids(second, QUERY, 'ada'))[0]).toBe('kitchen__plan_week');
  expect(await ids(second, QUERY, 'bob')).toEqual(before);
  const off = await open({ dataDir, search: { learning: false } });
  expect(await ids(off, QUERY, 'ada')).toEqual(before);
});

it('learns from a search outside of programs, and never from a failed call', async () => {
  const store = memoryStore();
  const fail = { run: () => Promise.reject(new Error('no')) };
  const toolwright = await open({ store, tools: { ...TOOLS, broken: { tools: { plan_family: fail } } } });
  await toolwright.search(QUERY, { userId: 'ada' });
  const source = `
    await callMCPTool('broken__plan_family', {}).catch(() => undefined);
    return callMCPTool('kitchen__plan_week', {})`;
  expect(await toolwright.execute(source, { userId: 'ada', check: false })).toMatchObject({ status: 'completed' });
  await toolwright.close();
  const [value] = await store.get(USAGE_NAMESPACE, ['ada']);
  expect(JSON.parse(String(value)).tools).toEqual([['kitchen__plan_week', 'kitchen', 1, { plan: 1, fami: 1, eat: 1 }]]);
});

it('refuses misspelt settings', async () => {
  await expect(open({ search: { learn: false } as object })).rejects.toThrow('createToolwright: wrong search.');
});
