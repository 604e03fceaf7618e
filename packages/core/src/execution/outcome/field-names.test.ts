import { expect, test } from 'vitest';
import type { Execution } from '../execution.ts';
import { misspeltFields } from './field-names.ts';

const outputSchema = {
  type: 'object',
  properties: { items: { type: 'array', items: { properties: { createdAt: { type: 'string' }, user_id: {} } } } },
};

const noteOf = (source: string, schema: object | undefined = outputSchema) =>
  misspeltFields({
    source,
    host: { calls: () => [{ tool: 'shop__list' }] },
    catalog: { tool: async () => ({}), withObserved: () => ({ definition: { outputSchema: schema } }) },
  } as unknown as Execution);

test.each([
  ["return r.items.filter((o) => o.created_at > '2026').length", 'created_at (createdAt)'],
  ['result = [i.get("userId") for i in r["items"]]', 'userId (user_id)'],
  ['result = [i["CREATED_AT"] for i in r["Items"]]', 'CREATED_AT (createdAt), Items (items)'],
])('%s has a note', async (source, listed) => {
  expect(await noteOf(source)).toBe(`No result has these fields, similar ones in brackets: ${listed}.`);
});

test.each([
  'return r.items.map((o) => o.createdAt)',
  'return r.items.map((o) => ({ created_at: o.createdAt })).map((o) => o.created_at)',
  'o.userId = 1; return o.userId',
  'return r.Items()',
  'const { created_at } = other; return x.created_at',
])('%s has none', async (source) => expect(await noteOf(source)).toBeUndefined());

test('schemas are read at any depth, also with empty members', async () => {
  let deep: object = { properties: { createdAt: {} } };
  for (let depth = 0; depth < 20_000; depth++) deep = { properties: undefined, anyOf: [null, deep] };
  expect(await noteOf('return r.created_at', deep)).toContain('(createdAt)');
});

test('a tool with unknown fields may have any', async () => {
  expect(
    await misspeltFields({
      source: 'return r.created_at',
      host: { calls: () => [{ tool: 'shop__list' }] },
      catalog: { tool: async () => ({}), withObserved: () => ({ definition: {} }) },
    } as unknown as Execution),
  ).toBeUndefined();
});
