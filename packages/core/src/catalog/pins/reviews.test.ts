import type { ToolDefinition } from '@toolwright/connectors';
import { expect, test } from 'vitest';
import { createShadows } from './reviews.ts';

const START = 'Does the thing of the region with orders and invoices of the harbour,';
const tools = (count: number, prefix: string): ToolDefinition[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `${prefix}${index}`,
    description: `${START} number ${index} and crane ${index * 7} at gate ${index * 3}`,
    inputSchema: { type: 'object' },
  }));

test('a server of 5,000 similar tools is compared with others only, in little time', () => {
  const shadows = createShadows();
  const [many, others] = [tools(5_000, 'a'), tools(5_000, 'b')];
  const start = process.cpuUsage();
  shadows.set({ server: 'many', definitions: many });
  for (const definition of many) expect(shadows.resembledBy('many', definition)).toEqual([]);
  shadows.set({ server: 'others', definitions: others });
  for (const definition of many.slice(0, 500)) shadows.resembledBy('many', definition);
  const { user } = process.cpuUsage(start);
  expect(user / 1_000).toBeLessThan(5_000);
});

test('finds the same name, and a nearly identical description among many similar ones', () => {
  const shadows = createShadows();
  shadows.set({ server: 'many', definitions: tools(5_000, 'a') });
  const [, , copied] = tools(3, 'copy');
  expect(shadows.resembledBy('late', copied as ToolDefinition)).toContainEqual({
    server: 'many',
    name: 'a2',
    sameName: false,
    sameText: true,
  });
  const named = { name: 'a4999', description: 'Short.', inputSchema: { type: 'object' as const } };
  expect(shadows.resembledBy('late', named)).toEqual([
    { server: 'many', name: 'a4999', sameName: true, sameText: false },
  ]);
});
