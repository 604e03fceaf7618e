// Results of 8,000 to 80,000 tokens, of which the task needs one line.
import { READ_FILE, read, textOf } from './task.mjs';

const SALES = 'data/sales.csv';
const REQUESTS = 'data/requests.jsonl';

function revenue(text) {
  const sums = {};
  for (const line of text.trim().split('\n').slice(1)) {
    const [, region, , units, price] = line.split(',');
    sums[region] = (sums[region] ?? 0) + units * price;
  }
  return Object.entries(sums).sort((a, b) => b[1] - a[1]);
}

function slowest(text) {
  const times = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ path }) => path === '/checkout')
    .map(({ ms }) => ms);
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)];
}

function topProducts(orders) {
  const sold = {};
  for (const { sku, quantity } of orders.flatMap(({ items }) => items)) sold[sku] = (sold[sku] ?? 0) + quantity;
  return Object.entries(sold)
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
    .slice(0, 5);
}

export const large = [
  {
    id: 'sales-by-region',
    prompt: `${SALES} has the columns date, region, product, units, price. What is the revenue (units times price) of each region, highest first?`,
    search: [READ_FILE],
    *direct() {
      const [file] = yield [read(SALES)];
      return revenue(textOf(file));
    },
    *programs() {
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${SALES}"});
const sums: Record<string, number> = {};
for (const line of content.trim().split("\\n").slice(1)) {
  const [, region, , units, price] = line.split(",");
  sums[region] = (sums[region] ?? 0) + Number(units) * Number(price);
}
return Object.entries(sums).sort((a, b) => b[1] - a[1]);`;
    },
    mistake: { right: 'content', wrong: 'text' },
    formatAnswer: (sums) => sums.map(([region, sum]) => `${region}: ${sum}`).join('\n'),
    expected: ({ files }) => revenue(files[SALES]),
  },
  {
    id: 'top-products',
    prompt:
      'Over all orders in the CRM, cancelled ones included: which five SKUs were ordered in the largest quantity, and how many of each?',
    search: [{ query: 'list all orders', finds: ['crm__list_orders'] }],
    *direct() {
      const orders = [];
      let cursor;
      do {
        const [page] = yield [['crm__list_orders', { limit: 100, ...(cursor ? { cursor } : {}) }]];
        orders.push(...page.orders);
        cursor = page.nextCursor;
      } while (cursor);
      return topProducts(orders);
    },
    *programs() {
      return yield `const sold: Record<string, number> = {};
let cursor: string | undefined;
do {
  const page = await servers.crm.list_orders({limit: 100, cursor});
  for (const order of page.orders) for (const item of order.items) sold[item.sku] = (sold[item.sku] ?? 0) + item.quantity;
  cursor = page.nextCursor;
} while (cursor);
return Object.entries(sold).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 5);`;
    },
    mistake: { right: 'page.orders', wrong: 'page.items' },
    formatAnswer: (top) => top.map(([sku, quantity]) => `${sku}: ${quantity}`).join('\n'),
    expected: ({ crm }) => topProducts(crm.orders),
  },
  {
    id: 'slow-checkout',
    prompt: `${REQUESTS} has one JSON object {at, path, status, ms, trace} on each line. Sort the ms of path /checkout: what is the value at 95 % (index floor(n * 0.95))?`,
    search: [READ_FILE],
    *direct() {
      const [file] = yield [read(REQUESTS)];
      return slowest(textOf(file));
    },
    *programs() {
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${REQUESTS}"});
const rows = content.trim().split("\\n").map((line) => JSON.parse(line));
const times = rows.filter((row) => row.path === "/checkout").map((row) => row.ms).sort((a, b) => a - b);
return times[Math.floor(times.length * 0.95)];`;
    },
    mistake: { right: 'content', wrong: 'text' },
    formatAnswer: (ms) => `95 % of the checkout requests took at most ${ms} ms.`,
    expected: ({ files }) => slowest(files[REQUESTS]),
  },
];
