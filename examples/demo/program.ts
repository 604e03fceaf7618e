// The program of an agent for the task "Find the customers who owe the most, and store customers and open invoices in the
// knowledge graph".
import * as files from './servers/files/index.js';
import * as memory from './servers/memory/index.js';

interface Invoice {
  id: string;
  customer: string;
  due: string;
  paid: boolean;
  lines: { item: string; quantity: number; price: number }[];
}

const { content } = await files.listDirectory({ path: 'invoices' });
const names = content.split('\n').map((line: string) => line.replace('[FILE] ', ''));
const invoices: Invoice[] = await Promise.all(
  names.map(async (name: string) => {
    const file = await files.readTextFile({ path: `invoices/${name}` });
    return JSON.parse(file.content);
  }),
);

const open = invoices.filter((invoice) => !invoice.paid);
const owed = new Map<string, { invoices: string[]; total: number }>();
for (const { id, customer, lines } of open) {
  const entry = owed.get(customer) ?? { invoices: [], total: 0 };
  entry.invoices.push(id);
  entry.total += lines.reduce((sum, line) => sum + line.quantity * line.price, 0);
  owed.set(customer, entry);
}
console.log(`${invoices.length} invoices read, ${open.length} of them open`);

await memory.createEntities({
  entities: [...owed].map(([name, { total }]) => ({
    name,
    entityType: 'customer',
    observations: [`owes ${total.toFixed(2)} EUR`],
  })),
});
await memory.createEntities({
  entities: open.map(({ id, due }) => ({ name: id, entityType: 'invoice', observations: [`due ${due}`] })),
});
await memory.createRelations({
  relations: open.map(({ id, customer }) => ({ from: customer, to: id, relationType: 'owes' })),
});

const graph = await memory.readGraph({});
const ranking = [...owed].sort(([, a], [, b]) => b.total - a.total);
export default {
  customersWithDebt: owed.size,
  total: Number(ranking.reduce((sum, [, { total }]) => sum + total, 0).toFixed(2)),
  top3: ranking.slice(0, 3).map(([customer, { total, invoices }]) => ({
    customer,
    total: Number(total.toFixed(2)),
    invoices: invoices.length,
  })),
  graph: { entities: graph.entities.length, relations: graph.relations.length },
};
