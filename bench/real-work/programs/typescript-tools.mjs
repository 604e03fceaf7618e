// Programs in TypeScript that call tools: pages, retries, many calls at once, joins and files.
import { CUSTOMERS, cents, ORDERS, revenue, sumBy } from '../data.mjs';

const names = Object.fromEntries(CUSTOMERS.map(({ id, name }) => [id, name]));
const spent = sumBy(
  ORDERS.filter(({ customer_id }) => names[customer_id]),
  ({ customer_id }) => customer_id,
  revenue,
);

export const programs = [
  {
    name: 'all pages with an async generator',
    code: `interface Order { order_id: number; quantity: number; unit_price: number }
async function* orders(): AsyncGenerator<Order> {
  let cursor: string | undefined;
  do {
    const page: any = await callMCPTool('shop__list_orders', { limit: 50, ...(cursor && { cursor }) });
    yield* page.orders;
    cursor = page.next_cursor;
  } while (cursor);
}
let n = 0, total = 0;
for await (const o of orders()) { n++; total += o.quantity * o.unit_price; }
return { n, total: Math.round(total * 100) / 100 };`,
    right: { n: ORDERS.length, total: cents(ORDERS.reduce((sum, order) => sum + revenue(order), 0)) },
  },
  {
    name: 'customers in parallel, typed functions',
    code: `import * as shop from './servers/shop/index.js';

const ids = Array.from({ length: 20 }, (_, i) => \`C\${String(i + 1).padStart(2, '0')}\`);
const customers = await Promise.all(ids.map((id) => shop.getCustomer({ id })));
const byCountry: Record<string, number> = {};
for (const c of customers) byCountry[c.country] = (byCountry[c.country] ?? 0) + 1;
return byCountry;`,
    right: { DE: 5, US: 5, PL: 5, FR: 5 },
  },
  {
    name: 'missing records and a retry',
    code: `const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
async function retry<T>(fn: () => Promise<T>, n = 4): Promise<T> {
  for (let i = 0; ; i++) {
    try { return await fn(); } catch (e) {
      if (i >= n - 1 || !(e instanceof Error) || !e.message.includes('temporarily')) throw e;
      await sleep(10 * 2 ** i);
    }
  }
}
const results = await Promise.allSettled(['C01', 'C99'].map((id) => callMCPTool('shop__get_customer', { id })));
const rate = await retry(() => callMCPTool('shop__exchange_rate', { currency: 'EUR' }));
return { found: results.filter((r) => r.status === 'fulfilled').length, error: results.flatMap((r) => (r.status === 'rejected' ? [String(r.reason.message).includes('C99')] : [])), rate: rate.rate };`,
    right: { found: 1, error: [true], rate: 1.08 },
  },
  {
    name: 'top customers as a file, with names of a tool',
    code: `const { customers } = await callMCPTool('shop__list_customers', {});
const names = new Map(customers.map((c: any) => [c.id, c.name]));
const spent = new Map<string, number>();
for (const l of (await fs.readFile('orders.csv', 'utf8')).trim().split('\\n').slice(1)) {
  const [, , , , q, p, id] = l.split(',');
  spent.set(id, (spent.get(id) ?? 0) + Number(q) * Number(p));
}
const top = [...spent].filter(([id]) => names.has(id)).sort((a, b) => b[1] - a[1]).slice(0, 3).map(([id, s]) => ({ id, name: names.get(id), spent: Number(s.toFixed(2)) }));
await fs.writeFile('top.csv', ['id,name,spent', ...top.map((t) => [t.id, JSON.stringify(t.name), t.spent].join(','))].join('\\n'));
return top;`,
    right: Object.entries(spent)
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, 3)
      .map(([id, sum]) => ({ id, name: names[id], spent: cents(sum) })),
    check: async (_, { read }) => String(await read('top.csv')).split('\n').length === 4,
  },
  {
    name: 'weather in several cities, formatted',
    code: `const cities = ['Berlin', 'Paris', 'Kraków', 'Austin'] as const;
const temps = Object.fromEntries(await Promise.all(cities.map(async (city) => [city, (await callMCPTool('weather__current', { city })).celsius] as const)));
const f = (c: number) => Math.round((c * 9 / 5 + 32) * 10) / 10;
const warmest = Object.entries(temps).reduce((a, b) => (b[1] > a[1] ? b : a))[0];
const nf = new Intl.NumberFormat('en-US', { style: 'unit', unit: 'celsius', maximumFractionDigits: 1 });
return { warmest, berlin: f(temps.Berlin), text: nf.format(temps.Kraków) };`,
    right: { warmest: 'Austin', berlin: 40.1, text: '1.5°C' },
  },
  {
    name: 'a queue with a limit, progress and results by key',
    code: `const ids = ['C03', 'C07', 'C11', 'C15'];
const results: Record<string, string> = {};
const queue = [...ids];
const worker = async () => {
  for (let id = queue.shift(); id; id = queue.shift()) {
    const { name, city } = await servers.shop.get_customer({ id });
    results[id] = \`\${name} (\${city})\`;
    progress({ done: Object.keys(results).length, of: ids.length });
  }
};
await Promise.all([worker(), worker()]);
return Object.fromEntries(Object.entries(results).sort());`,
    right: Object.fromEntries(
      CUSTOMERS.filter(({ id }) => ['C03', 'C07', 'C11', 'C15'].includes(id)).map(({ id, name, city }) => [
        id,
        `${name} (${city})`,
      ]),
    ),
  },
];
