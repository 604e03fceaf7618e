import { expect, it } from 'vitest';
import { instance } from '../../../../test/fixtures/n8n-instance.ts';

const COLUMNS = [
  { name: 'name', type: 'string' },
  { name: 'age', type: 'number' },
];

it('creates data tables, adds, changes and reads rows', async () => {
  const { workflows } = await instance();
  const { id: table } = (await workflows.call('createDataTable', { name: 'People', columns: COLUMNS })) as {
    id: string;
  };
  const rows = [
    { name: 'Ada', age: 36 },
    { name: 'Bob', age: 7 },
  ];
  expect(await workflows.call('addDataTableRows', { table, rows })).toEqual({ rows });
  const change = { table, rows: [{ age: 8 }], options: { where: { name: 'Bob' } } };
  expect(await workflows.call('addDataTableRows', change)).toEqual({ rows: [{ name: 'Bob', age: 8 }] });
  const read = await workflows.call('getDataTableRows', { table, options: { where: { age: { eq: 36 } } } });
  expect(read).toMatchObject({ rows: [{ name: 'Ada', age: 36 }] });
  expect(await workflows.call('listDataTables', {})).toMatchObject({
    tables: [{ id: table, name: 'People', columns: COLUMNS }],
  });
});

it('deletes the rows that match, and whole tables', async () => {
  const { workflows } = await instance();
  const { id: table } = (await workflows.call('createDataTable', { name: 'People', columns: COLUMNS })) as {
    id: string;
  };
  const [ada, bob] = [
    { name: 'Ada', age: 36 },
    { name: 'Bob', age: 7 },
  ];
  await workflows.call('addDataTableRows', { table, rows: [ada, bob] });
  await expect(workflows.call('deleteDataTableRows', { table, where: {} })).rejects.toThrow('at least one column');
  expect(await workflows.call('deleteDataTableRows', { table, where: { name: 'Ada' } })).toEqual({ rows: [ada] });
  expect(await workflows.call('getDataTableRows', { table })).toEqual({ rows: [bob] });
  expect(await workflows.call('deleteDataTable', { table })).toEqual({ id: table, deleted: true });
  await expect(workflows.call('deleteDataTable', { table })).rejects.toThrow(`n8n has no data table ${table}`);
  expect(await workflows.call('listDataTables', {})).toEqual({ tables: [] });
});

it('deletes by the rule of policy.allow only, for all tables or one', async () => {
  const { n8n, workflows } = await instance({ policy: { write: true, allow: ['delete:mine'] } });
  const calls = (table: string) =>
    [
      ['deleteDataTable', { table }],
      ['deleteDataTableRows', { table, where: { name: 'Ada' } }],
    ] as const;
  for (const [tool, args] of calls('other')) {
    await expect(workflows.call(tool, args)).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
      message: expect.stringContaining('add "delete" or "delete:other" to n8n.policy.allow'),
    });
  }
  expect(n8n.requests).toEqual([]);
  for (const [tool, args] of calls('mine')) await expect(workflows.call(tool, args)).rejects.toThrow('n8n has no');
  const tools = await workflows.tools();
  for (const [tool] of calls('mine'))
    expect(tools.find(({ name }) => name === tool)?.annotations).toMatchObject({ destructiveHint: true });
});

it('refuses conditions that n8n does not have, and writing without the right', async () => {
  const { n8n, workflows } = await instance({ policy: {} });
  const read = (where: unknown) => workflows.call('getDataTableRows', { table: 't', options: { where } });
  await expect(read({ age: { over: 3 } })).rejects.toThrow('no condition "over". Use one of: eq');
  await expect(read({})).rejects.toThrow('at least one column');
  await expect(workflows.call('createDataTable', { name: 'x', columns: [] })).rejects.toMatchObject({
    code: 'NOT_ALLOWED',
  });
  await expect(workflows.call('addDataTableRows', { table: 't', rows: [] })).rejects.toMatchObject({
    code: 'NOT_ALLOWED',
  });
  expect(n8n.requests).toEqual([]);
});
