// Tables, statistics and charts in TypeScript, without packages.

import { CUSTOMERS, cents, INVOICES, mapValues, ORDERS, PEOPLE, revenue, SAMPLES, sumBy, VISITS } from '../data.mjs';
import { hasPicture } from '../right.mjs';

const byProduct = mapValues(
  sumBy(ORDERS, (order) => order.product, revenue),
  cents,
);
const countryOf = new Map(CUSTOMERS.map(({ id, country }) => [id, country]));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value, digits) => Math.round(value * 10 ** digits) / 10 ** digits;
const ys = SAMPLES.map(({ y }) => y);
const xs = SAMPLES.map(({ x }) => x);

export const programs = [
  {
    name: 'revenue by product from CSV',
    code: `import { readFile } from 'node:fs/promises';

interface Order { order_id: number; product: string; quantity: number; unit_price: number }
const text = await readFile('orders.csv', 'utf8');
const [header, ...lines] = text.trim().split('\\n').map((l) => l.split(','));
const orders: Order[] = lines.map((cells) => {
  const o = Object.fromEntries(header.map((h, i) => [h, cells[i]]));
  return { order_id: +o.order_id, product: o.product, quantity: Number(o.quantity), unit_price: parseFloat(o.unit_price) };
});
const totals = new Map<string, number>();
for (const o of orders) totals.set(o.product, (totals.get(o.product) ?? 0) + o.quantity * o.unit_price);
return Object.fromEntries([...totals].sort((a, b) => b[1] - a[1]).map(([k, v]) => [k, Math.round(v * 100) / 100]));`,
    right: byProduct,
  },
  {
    name: 'quoted CSV with a byte order mark',
    code: `function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [], cell = '', quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') { cell += '"'; i++; }
      else if (c === '"') quoted = false;
      else cell += c;
    } else if (c === '"') quoted = true;
    else if (c === ',') { row.push(cell); cell = ''; }
    else if (c === '\\n') { row.push(cell); rows.push(row); row = []; cell = ''; }
    else if (c !== '\\r') cell += c;
  }
  if (cell || row.length) { row.push(cell); rows.push(row); }
  return rows;
}
const raw = await fs.readFile('/workspace/customers.csv', 'utf-8');
const [head, ...body] = parseCsv(raw.replace(/^\\uFEFF/, ''));
const customers = body.map((r) => Object.fromEntries(head.map((h, i) => [h, r[i]])) as Record<string, string>);
const perCountry: Record<string, string[]> = {};
for (const c of customers) (perCountry[c.country] ??= []).push(c.name.split(', ')[1]);
export default { n: customers.length, first: customers[0].name, DE: perCountry.DE, missing: customers.filter((c) => c.score === '').length };`,
    right: {
      n: CUSTOMERS.length,
      first: CUSTOMERS[0].name,
      DE: CUSTOMERS.filter(({ country }) => country === 'DE').map(({ name }) => name.split(', ')[1]),
      missing: CUSTOMERS.filter(({ score }) => score === null).length,
    },
  },
  {
    name: 'group by month with Object.groupBy',
    code: `const lines = (await fs.readFile('orders.csv', 'utf8')).split('\\n').slice(1);
const orders = lines.map((l) => l.split(',')).map(([id, date, region, product, q, p]) => ({ date, total: Number(q) * Number(p) }));
const groups = Object.groupBy(orders, (o) => o.date.slice(0, 7));
const months = Object.entries(groups)
  .map(([month, list]) => ({ month, revenue: Number(list!.reduce((s, o) => s + o.total, 0).toFixed(2)) }))
  .toSorted((a, b) => a.month.localeCompare(b.month));
return { best: months.reduce((a, b) => (b.revenue > a.revenue ? b : a)), last: months.at(-1), count: months.length };`,
    right: () => {
      const months = Object.entries(sumBy(ORDERS, ({ date }) => date.slice(0, 7), revenue)).sort(([a], [b]) =>
        a < b ? -1 : 1,
      );
      const named = months.map(([month, sum]) => ({ month, revenue: cents(sum) }));
      return { best: named.toSorted((a, b) => b.revenue - a.revenue)[0], last: named.at(-1), count: 12 };
    },
  },
  {
    name: 'a German export: windows-1252, decimal commas',
    code: `import fs from 'fs';
const bytes = fs.readFileSync('/workspace/rechnungen.csv');
const text = new TextDecoder('windows-1252').decode(bytes);
const rows = text.trim().split(/\\r?\\n/).slice(1).map((l) => l.split(';'));
const toCents = (s: string) => Math.round(Number(s.replace(/\\./g, '').replace(',', '.')) * 100);
const sums = new Map<string, number>();
for (const [, name, amount] of rows) sums.set(name, (sums.get(name) ?? 0) + toCents(amount));
const total = [...sums.values()].reduce((a, b) => a + b, 0);
const collator = new Intl.Collator('de');
return {
  names: [...sums.keys()].sort(collator.compare),
  total: new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(total / 100),
};`,
    right: () => ({
      names: ['Café Zürich', 'Größe & Söhne', 'Müller GmbH'],
      total: new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(
        INVOICES.reduce((sum, each) => sum + each.cents, 0) / 100,
      ),
    }),
  },
  {
    name: 'regression, quartiles and standard deviation by hand',
    code: `const samples: { x: number; y: number; group: string }[] = JSON.parse(await fs.readFile('samples.json', 'utf8'));
const mean = (a: number[]) => a.reduce((s, v) => s + v, 0) / a.length;
const sd = (a: number[]) => { const m = mean(a); return Math.sqrt(a.reduce((s, v) => s + (v - m) ** 2, 0) / (a.length - 1)); };
const q = (a: number[], p: number) => { const s = [...a].sort((x, y) => x - y); const k = (s.length - 1) * p, f = Math.floor(k); return s[f] + (k - f) * ((s[f + 1] ?? s[f]) - s[f]); };
const xs = samples.map((s) => s.x), ys = samples.map((s) => s.y);
const mx = mean(xs), my = mean(ys);
const slope = samples.reduce((s, p) => s + (p.x - mx) * (p.y - my), 0) / samples.reduce((s, p) => s + (p.x - mx) ** 2, 0);
const iqr = q(ys, 0.75) - q(ys, 0.25);
console.table([{ mean: my, sd: sd(ys), slope }]);
return { slope: +slope.toFixed(4), sd: +sd(ys).toFixed(4), outliers: ys.filter((y) => y > q(ys, 0.75) + 1.5 * iqr).length };`,
    right: () => {
      const slope =
        SAMPLES.reduce((sum, { x, y }) => sum + (x - mean(xs)) * (y - mean(ys)), 0) /
        xs.reduce((sum, x) => sum + (x - mean(xs)) ** 2, 0);
      const sorted = ys.toSorted((a, b) => a - b);
      const quantile = (at) => sorted[Math.floor(at)] * (1 - (at % 1)) + sorted[Math.ceil(at)] * (at % 1);
      const [low, high] = [quantile(49 * 0.25), quantile(49 * 0.75)];
      return {
        slope: round(slope, 4),
        sd: round(Math.sqrt(ys.reduce((sum, y) => sum + (y - mean(ys)) ** 2, 0) / 49), 4),
        outliers: ys.filter((y) => y > high + 1.5 * (high - low)).length,
      };
    },
  },
  {
    name: 'join of orders and customers with Map and Set',
    code: `type Row = Record<string, string>;
const parse = (t: string): Row[] => {
  const [h, ...r] = t.replace(/^\\uFEFF/, '').trim().split('\\n');
  const keys = h.split(',');
  return r.map((l) => {
    const cells = [...l.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((m) => m[1].replace(/^"|"$/g, '').replaceAll('""', '"'));
    return Object.fromEntries(keys.map((k, i) => [k, cells[i]]));
  });
};
const [orders, customers] = (await Promise.all(['orders.csv', 'customers.csv'].map((f) => fs.readFile(f, 'utf8')))).map(parse);
const byId = new Map(customers.map((c) => [c.id, c]));
const countries: Record<string, number> = {};
const unknown = new Set<string>();
for (const o of orders) {
  const c = byId.get(o.customer_id);
  if (!c) { unknown.add(o.customer_id); continue; }
  countries[c.country] = (countries[c.country] || 0) + Number(o.quantity);
}
return { countries, unknown: [...unknown].sort() };`,
    right: () => ({
      countries: sumBy(
        ORDERS.filter(({ customer_id }) => countryOf.has(customer_id)),
        ({ customer_id }) => countryOf.get(customer_id),
        ({ quantity }) => quantity,
      ),
      unknown: [...new Set(ORDERS.map(({ customer_id }) => customer_id).filter((id) => !countryOf.has(id)))].sort(),
    }),
  },
  {
    name: 'pivot as a Markdown table',
    code: `const rows = (await fs.readFile('orders.csv', 'utf8')).trim().split('\\n').slice(1).map((l) => l.split(','));
const regions = [...new Set(rows.map((r) => r[2]))].sort();
const products = [...new Set(rows.map((r) => r[3]))].sort();
const cell = (region: string, product: string) => rows.filter((r) => r[2] === region && r[3] === product).reduce((s, r) => s + +r[4], 0);
const table = [
  \`| region | \${products.join(' | ')} |\`,
  \`|---|\${products.map(() => '---:').join('|')}|\`,
  ...regions.map((r) => \`| \${r} | \${products.map((p) => cell(r, p).toString().padStart(5)).join(' | ')} |\`),
].join('\\n');
await fs.writeFile('pivot.md', table);
table.split('\\n').length + ':' + table.split('\\n')[2];`,
    right: () => {
      const sum = (product) =>
        ORDERS.filter((order) => order.region === 'East' && order.product === product).reduce(
          (n, { quantity }) => n + quantity,
          0,
        );
      const cells = ['Chair', 'Desk', 'Lamp', 'Shelf', 'Sofa'].map((product) => String(sum(product)).padStart(5));
      return `6:| East | ${cells.join(' | ')} |`;
    },
  },
  {
    name: 'lines of JSON: status codes and percentiles',
    code: `import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const rl = createInterface({ input: createReadStream('events.ndjson'), crlfDelay: Infinity });
const sizes: number[] = [];
const statuses: Record<number, number> = {};
for await (const line of rl) {
  if (!line.trim()) continue;
  const e = JSON.parse(line);
  sizes.push(e.bytes);
  statuses[e.status] = (statuses[e.status] ?? 0) + 1;
}
sizes.sort((a, b) => a - b);
return { lines: sizes.length, p95: sizes[Math.ceil(0.95 * sizes.length) - 1], statuses };`,
    right: () => ({
      lines: VISITS.length,
      p95: VISITS.map(({ bytes }) => bytes).sort((a, b) => a - b)[284],
      statuses: sumBy(
        VISITS,
        ({ status }) => status,
        () => 1,
      ),
    }),
  },
  {
    name: 'a Vega-Lite chart',
    code: `const rows = (await fs.readFile('orders.csv', 'utf8')).trim().split('\\n').slice(1).map((l) => l.split(','));
const values = Object.entries(rows.reduce((acc, r) => ({ ...acc, [r[3]]: (acc[r[3]] ?? 0) + Number(r[4]) * Number(r[5]) }), {} as Record<string, number>))
  .map(([product, revenue]) => ({ product, revenue: Math.round(revenue) }));
await show({
  $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
  title: 'Revenue by product',
  data: { values },
  mark: { type: 'bar', tooltip: true },
  encoding: { x: { field: 'product', type: 'nominal', sort: '-y' }, y: { field: 'revenue', type: 'quantitative' }, color: { field: 'product', legend: null } },
});
return values.length;`,
    right: 5,
    check: ({ media = [] }) => media.some(({ mimeType }) => mimeType === 'image/svg+xml'),
  },
  {
    name: 'an SVG line chart by hand',
    code: `const samples = JSON.parse(await fs.readFile('samples.json', 'utf8')) as { x: number; y: number }[];
const W = 640, H = 320, pad = 30;
const maxY = Math.max(...samples.map((s) => s.y)), minY = Math.min(...samples.map((s) => s.y));
const px = (x: number) => pad + (x / (samples.length - 1)) * (W - 2 * pad);
const py = (y: number) => H - pad - ((y - minY) / (maxY - minY)) * (H - 2 * pad);
const d = samples.map((s, i) => \`\${i ? 'L' : 'M'}\${px(s.x).toFixed(1)},\${py(s.y).toFixed(1)}\`).join(' ');
const svg = \`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \${W} \${H}" width="\${W}" height="\${H}">
  <rect width="100%" height="100%" fill="white"/>
  <path d="\${d}" fill="none" stroke="crimson" stroke-width="2"/>
  <text x="\${W / 2}" y="20" text-anchor="middle" font-family="sans-serif">Samples &amp; outliers</text>
</svg>\`;
await fs.writeFile('line.svg', svg);
await show('line.svg');
return d.split(' ').length;`,
    right: 50,
    check: ({ media = [] }) => media.length === 1 && media[0].mimeType === 'image/svg+xml',
  },
  {
    name: 'a tree of people and their skills',
    code: `interface Person { id: number; name: string; manager: number | null; skills: string[]; address: { city: string; geo: { lat: number; lon: number } } | null }
const { people } = JSON.parse(await fs.readFile('people.json', 'utf8')) as { people: Person[] };
type Node = { name: string; reports?: Node[] };
const build = (manager: number | null): Node[] =>
  people.filter((p) => p.manager === manager).map((p) => {
    const reports = build(p.id);
    return reports.length ? { name: p.name, reports } : { name: p.name };
  });
const skills = people.flatMap((p) => p.skills.map((s) => [s, p.name] as const));
const index = Object.fromEntries(Map.groupBy(skills, ([s]) => s).entries().map(([s, l]) => [s, l.map(([, n]) => n)]));
const rad = (d: number) => (d * Math.PI) / 180;
const km = (a: Person, b: Person) => {
  if (!a.address || !b.address) return NaN;
  const { lat: p, lon: l } = a.address.geo, { lat: q, lon: m } = b.address.geo;
  const h = Math.sin(rad(q - p) / 2) ** 2 + Math.cos(rad(p)) * Math.cos(rad(q)) * Math.sin(rad(m - l) / 2) ** 2;
  return Math.round(2 * 6371 * Math.asin(Math.sqrt(h)));
};
return { tree: build(null), index, km: km(people[0], people[1]), cities: [...new Set(people.map((p) => p.address?.city ?? 'none'))] };`,
    right: () => {
      const rad = (degrees) => (degrees / 180) * Math.PI;
      const [a, b] = PEOPLE.map(({ address }) => address?.geo);
      const unit = ({ lat, lon }) => [
        Math.cos(rad(lat)) * Math.cos(rad(lon)),
        Math.cos(rad(lat)) * Math.sin(rad(lon)),
        Math.sin(rad(lat)),
      ];
      const dot = unit(a).reduce((sum, value, at) => sum + value * unit(b)[at], 0);
      const having = (skill) => PEOPLE.filter(({ skills }) => skills.includes(skill)).map(({ name }) => name);
      return {
        tree: [
          {
            name: 'Ana',
            reports: [
              { name: 'Bo', reports: [{ name: 'Di', reports: [{ name: 'Flo' }] }, { name: 'Ed' }] },
              { name: 'Cy' },
            ],
          },
        ],
        index: {
          go: having('go'),
          sql: having('sql'),
          python: having('python'),
          rust: having('rust'),
          css: having('css'),
        },
        km: Math.round(6371 * Math.acos(dot)),
        cities: ['Lima', 'Oslo', 'Cairo', 'none', 'Quito'],
      };
    },
  },
  {
    name: 'money with BigInt, and running totals',
    code: `const lines = (await fs.readFile('orders.csv', 'utf8')).trim().split('\\n').slice(1);
const cents = (s: string) => { const [a, b = ''] = s.split('.'); return BigInt(a) * 100n + BigInt(b.padEnd(2, '0').slice(0, 2)); };
let total = 0n;
const running: bigint[] = [];
for (const l of lines) {
  const c = l.split(',');
  total += cents(c[5]) * BigInt(c[4]);
  running.push(total);
}
const vat = (total * 19n + 50n) / 100n;
const show2 = (n: bigint) => \`\${n / 100n}.\${(n % 100n).toString().padStart(2, '0')}\`;
return { total: show2(total), vat: show2(vat), half: running.findIndex((r) => r * 2n >= total) };`,
    right: () => {
      const amounts = ORDERS.map((order) => Math.round(revenue(order) * 100));
      const total = amounts.reduce((sum, amount) => sum + amount, 0);
      let sum = 0;
      const half = amounts.findIndex((amount) => {
        sum += amount;
        return sum * 2 >= total;
      });
      return { total: (total / 100).toFixed(2), vat: (Math.round(total * 0.19) / 100).toFixed(2), half };
    },
  },
  {
    name: 'charts of a picture format: PNG by hand',
    code: `import { deflateSync, crc32 } from 'node:zlib';
const w = 64, h = 32;
const raw = Buffer.alloc((w * 3 + 1) * h);
for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) raw[y * (w * 3 + 1) + 1 + x * 3] = (x * 4 + y * y * 3) % 256;
const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
};
const ihdr = Buffer.alloc(13);
ihdr.writeUInt32BE(w, 0); ihdr.writeUInt32BE(h, 4); ihdr[8] = 8; ihdr[9] = 2;
const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk('IHDR', ihdr), chunk('IDAT', deflateSync(raw)), chunk('IEND', Buffer.alloc(0))]);
await fs.writeFile('bars.png', png);
await show('bars.png');
return png.subarray(1, 4).toString('latin1');`,
    right: 'PNG',
    check: hasPicture,
  },
];
