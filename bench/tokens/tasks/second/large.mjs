// Results of 8,000 to 80,000 tokens, of which the task needs a few lines.
import { READ_FILE, read, textOf } from '../task.mjs';

const SALES = 'data/sales.csv';
const REQUESTS = 'data/requests.jsonl';
const rowsOf = (text) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const sorted = (sums) => Object.entries(sums).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
const sumBy = (rows, key, value) => {
  const sums = {};
  for (const row of rows) sums[key(row)] = (sums[key(row)] ?? 0) + value(row);
  return sorted(sums);
};
const failures = (text) =>
  sumBy(
    rowsOf(text).filter(({ status }) => status === 500),
    ({ path }) => path,
    () => 1,
  );
const hottest = (text) => rowsOf(text).reduce((max, row) => (row.ms > max.ms ? row : max)).trace;
const units = (text) =>
  sumBy(
    text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')),
    ([, , product]) => product,
    ([, , , count]) => Number(count),
  );
const byMonth = (orders) =>
  sumBy(
    orders.filter(({ status }) => status === 'delivered'),
    ({ date }) => date.slice(0, 7),
    ({ total }) => total,
  );
const list = (entries) => entries.map(([name, value]) => `${name}: ${value}`).join('\n');

/** Creates a task that computes a value from one file. `lines` are the lines of the program after the read. */
const fileTask = ({ path, compute, lines, ...task }) => ({
  ...task,
  search: [READ_FILE],
  *direct() {
    const [file] = yield [read(path)];
    return compute(textOf(file));
  },
  *programs() {
    return yield [`const { content } = await servers.filesystem.read_text_file({path: "${path}"});`, ...lines].join(
      '\n',
    );
  },
  mistake: { right: 'content', wrong: 'text' },
  expected: ({ files }) => compute(files[path]),
});

export const large = [
  fileTask({
    id: 'failed-paths',
    prompt: `${REQUESTS} has one JSON object {at, path, status, ms, trace} on each line. How many requests of each path have status 500? Most first.`,
    path: REQUESTS,
    compute: failures,
    lines: [
      'const counts: Record<string, number> = {};',
      'for (const line of content.trim().split("\\n")) {',
      '  const { path, status } = JSON.parse(line);',
      '  if (status === 500) counts[path] = (counts[path] ?? 0) + 1;',
      '}',
      'return Object.entries(counts).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));',
    ],
    formatAnswer: list,
  }),
  fileTask({
    id: 'slowest-trace',
    prompt: `${REQUESTS} has one JSON object {at, path, status, ms, trace} on each line. What is the trace of the slowest request?`,
    path: REQUESTS,
    compute: hottest,
    lines: [
      'const rows = content.trim().split("\\n").map((line) => JSON.parse(line));',
      'return rows.reduce((max, row) => row.ms > max.ms ? row : max).trace;',
    ],
    formatAnswer: (trace) => `The trace is ${trace}.`,
  }),
  fileTask({
    id: 'units-by-product',
    prompt: `${SALES} has the columns date, region, product, units, price. How many units of each product were sold, most first?`,
    path: SALES,
    compute: units,
    lines: [
      'const sums: Record<string, number> = {};',
      'for (const line of content.trim().split("\\n").slice(1)) {',
      '  const [, , product, units] = line.split(",");',
      '  sums[product] = (sums[product] ?? 0) + Number(units);',
      '}',
      'return Object.entries(sums).sort((a, b) => b[1] - a[1]);',
    ],
    formatAnswer: list,
  }),
  {
    id: 'delivered-by-month',
    prompt: 'What is the total value of all delivered orders in the CRM, by month, highest first?',
    indirect: true,
    search: [{ query: 'everything that clients bought', finds: ['crm__list_orders'] }],
    *direct() {
      const orders = [];
      let cursor;
      do {
        const [page] = yield [['crm__list_orders', { status: 'delivered', limit: 100, ...(cursor ? { cursor } : {}) }]];
        orders.push(...page.orders);
        cursor = page.nextCursor;
      } while (cursor);
      return byMonth(orders);
    },
    *programs() {
      return yield `const sums: Record<string, number> = {};
let cursor: string | undefined;
do {
  const page = await servers.crm.list_orders({status: "delivered", limit: 100, cursor});
  for (const { date, total } of page.orders) sums[date.slice(0, 7)] = (sums[date.slice(0, 7)] ?? 0) + total;
  cursor = page.nextCursor;
} while (cursor);
return Object.entries(sums).sort((a, b) => b[1] - a[1]);`;
    },
    mistake: { right: 'page.orders', wrong: 'page.items' },
    formatAnswer: list,
    expected: ({ crm }) => byMonth(crm.orders),
  },
];
