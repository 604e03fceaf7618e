// Texts, dates, languages, links and hashes in TypeScript, without packages.
import { createHash, createHmac } from 'node:crypto';
import { ARTICLE, VISITS } from '../data.mjs';

const count = (list) => {
  const counts = {};
  for (const item of list) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
};

export const programs = [
  {
    name: 'words of a text with a Unicode expression',
    code: `const text = await fs.readFile('article.txt', 'utf8');
const words = text.toLowerCase().match(/\\p{L}+(?:'\\p{L}+)?/gu) ?? [];
const counts = new Map<string, number>();
for (const w of words) counts.set(w, (counts.get(w) ?? 0) + 1);
const top = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 3);
const segments = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment('👨‍👩‍👧e\\u0301x')].length;
return { total: words.length, top, emails: text.match(/[\\w.+-]+@[\\w-]+\\.\\w+/g), segments };`,
    right: () => {
      const words = ARTICLE.toLowerCase().match(/\p{L}+(?:'\p{L}+)?/gu);
      const top = Object.entries(count(words)).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
      return {
        total: words.length,
        top: top.slice(0, 3),
        emails: ['help@example.com', 'sales@example.org'],
        segments: 3,
      };
    },
  },
  {
    name: 'access log with named groups',
    code: `const log = await fs.readFile('access.log', 'utf8');
const re = /^(?<ip>\\S+) \\S+ \\S+ \\[(?<day>\\d{2})\\/(?<mon>\\w{3})\\/(?<year>\\d{4}):(?<time>[\\d:]{8}) (?<tz>[+-]\\d{4})\\] "(?<method>\\w+) (?<path>\\S+) HTTP\\/[\\d.]+" (?<status>\\d{3}) (?<bytes>\\d+)/gm;
const hours: Record<string, number> = {};
const slow: string[] = [];
let first: string | undefined;
for (const { groups } of log.matchAll(re)) {
  const g = groups!;
  const at = new Date(\`\${g.day} \${g.mon} \${g.year} \${g.time} \${g.tz}\`);
  first ??= at.toISOString();
  hours[at.getUTCHours()] = (hours[at.getUTCHours()] ?? 0) + 1;
  if (g.status === '500') slow.push(g.path);
}
return { first, hours, errors: slow.length };`,
    right: () => ({
      first: VISITS[0].time,
      hours: count(VISITS.map(({ time }) => Number(time.slice(11, 13)))),
      errors: VISITS.filter(({ status }) => status === 500).length,
    }),
  },
  {
    name: 'a meeting in several time zones',
    code: `const meeting = new Date('2025-03-10T14:00:00Z');
const zones = ['America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Sydney'];
const fmt = (timeZone: string) => new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', timeZoneName: 'shortOffset' }).format(meeting);
const parts = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' }).formatToParts(meeting);
const get = (t: string) => parts.find((p) => p.type === t)!.value;
return { all: zones.map(fmt), iso: \`\${get('year')}-\${get('month')}-\${get('day')}T\${get('hour')}\`, long: meeting.toLocaleDateString('de-DE', { dateStyle: 'full', timeZone: 'Europe/Berlin' }) };`,
    right: {
      all: ['Mon, 10:00 GMT-4', 'Mon, 15:00 GMT+1', 'Mon, 19:30 GMT+5:30', 'Tue, 01:00 GMT+11'],
      iso: '2025-03-10T10',
      long: 'Montag, 10. März 2025',
    },
  },
  {
    name: 'numbers, lists, plurals and relative times in words',
    code: `const money = (n: number, locale: string, currency: string) => n.toLocaleString(locale, { style: 'currency', currency });
const pr = new Intl.PluralRules('en', { type: 'ordinal' });
const suffix: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
return {
  usd: money(1234.5, 'en-US', 'USD'),
  jpy: money(1234.5, 'en-US', 'JPY'),
  percent: (0.256).toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1 }),
  compact: new Intl.NumberFormat('en', { notation: 'compact' }).format(1_234_567),
  unit: new Intl.NumberFormat('en', { style: 'unit', unit: 'kilometer-per-hour' }).format(50),
  ordinals: [1, 2, 3, 11, 22].map((n) => n + suffix[pr.select(n)]),
  list: new Intl.ListFormat('en', { type: 'conjunction' }).format(['a', 'b', 'c']),
  ago: new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-1, 'day'),
  sorted: ['item10', 'item9', 'Item1'].sort(new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare),
};`,
    right: {
      usd: '$1,234.50',
      jpy: '¥1,235',
      percent: '25.6%',
      compact: '1.2M',
      unit: '50 km/h',
      ordinals: ['1st', '2nd', '3rd', '11th', '22nd'],
      list: 'a, b, and c',
      ago: 'yesterday',
      sorted: ['Item1', 'item9', 'item10'],
    },
  },
  {
    name: 'working days, ISO weeks and ages',
    code: `const day = (s: string) => new Date(s + 'T00:00:00Z');
function workdays(from: string, to: string, holidays: string[] = []) {
  let n = 0;
  for (let d = day(from); d <= day(to); d = new Date(d.getTime() + 864e5)) {
    const iso = d.toISOString().slice(0, 10);
    if (![0, 6].includes(d.getUTCDay()) && !holidays.includes(iso)) n++;
  }
  return n;
}
function isoWeek(d: Date) {
  const t = new Date(Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate()));
  t.setUTCDate(t.getUTCDate() + 4 - (t.getUTCDay() || 7));
  const start = Date.UTC(t.getUTCFullYear(), 0, 1);
  return [t.getUTCFullYear(), Math.ceil(((t.getTime() - start) / 864e5 + 1) / 7)];
}
const monthEnd = new Date(2024, 2, 0).getDate();
return { workdays: workdays('2025-12-20', '2026-01-06', ['2025-12-25', '2025-12-26', '2026-01-01']), week: isoWeek(day('2024-12-30')), monthEnd, local: new Date(2025, 0, 31, 12).toISOString(), parsed: new Date('March 7, 2025 10:00 PST').toISOString() };`,
    right: {
      workdays: 9,
      week: [2025, 1],
      monthEnd: 29,
      local: '2025-01-31T12:00:00.000Z',
      parsed: '2025-03-07T18:00:00.000Z',
    },
  },
  {
    name: 'links taken apart and built',
    code: `const u = new URL('../list?page=2&q=a%20b#top', 'https://user@shop.example:8443/x/y/');
u.searchParams.append('q', 'c&d');
u.searchParams.set('page', '3');
u.hash = '';
u.pathname += '/über uns';
const idn = new URL('http://bücher.example/ä');
const params = new URLSearchParams({ from: '2025-01-01', tags: ['a', 'b'].join() });
return { href: u.href, host: u.host, origin: u.origin, idn: idn.href, params: params.toString(), all: u.searchParams.getAll('q'), ok: URL.canParse('nope') };`,
    right: () => {
      const href = 'https://user@shop.example:8443/x/list/%C3%BCber%20uns?page=3&q=a+b&q=c%26d';
      return {
        href,
        host: 'shop.example:8443',
        origin: 'https://shop.example:8443',
        idn: 'http://xn--bcher-kva.example/%C3%A4',
        params: 'from=2025-01-01&tags=a%2Cb',
        all: ['a b', 'c&d'],
        ok: false,
      };
    },
  },
  {
    name: 'hashes, signatures and base64',
    code: `import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

const data = await fs.readFile('article.txt', 'utf8');
const enc = (o: unknown) => Buffer.from(JSON.stringify(o)).toString('base64url');
const signed = \`\${enc({ alg: 'HS256' })}.\${enc({ sub: '1' })}\`;
const signature = createHmac('sha256', 'key').update(signed).digest('base64url');
const web = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(data))).toString('hex');
const etag = createHash('md5').update(data, 'utf8').digest('base64');
return { web, same: timingSafeEqual(Buffer.from(web, 'hex'), createHash('sha256').update(data).digest()), jwt: \`\${signed}.\${signature}\`, etag, uuid: /^[\\da-f-]{36}$/.test(randomUUID()), b64: btoa('hi') + atob('aGk=') };`,
    right: () => {
      const signed = [{ alg: 'HS256' }, { sub: '1' }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      return {
        web: createHash('sha256').update(ARTICLE).digest('hex'),
        same: true,
        jwt: `${signed}.${createHmac('sha256', 'key').update(signed).digest('base64url')}`,
        etag: createHash('md5').update(ARTICLE).digest('base64'),
        uuid: true,
        b64: 'aGk=hi',
      };
    },
  },
  {
    name: 'similar words and differences of lines',
    code: `function distance(a: string, b: string): number {
  const d = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array(b.length).fill(0)]);
  for (let j = 1; j <= b.length; j++) d[0][j] = j;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
  return d[a.length][b.length];
}
const slug = (s: string) => s.normalize('NFD').replace(/[\\u0300-\\u036f]/g, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
const a = new Set(['x', 'y', 'z']), b = new Set(['y', 'z', 'w']);
return {
  nearest: ['ape', 'apple', 'peach'].map((w) => [w, distance('appel', w)]).sort((p, q) => Number(p[1]) - Number(q[1]))[0],
  slug: slug('Crème Brûlée à Zürich!'),
  both: [...a.intersection(b)], only: [...a.difference(b)],
  title: 'the quick fox'.replace(/\\b\\w/g, (c) => c.toUpperCase()),
  padded: 'abc'.padStart(5, '*') + '|' + 'x'.repeat(3).at(-1),
};`,
    right: {
      nearest: ['ape', 2],
      slug: 'creme-brulee-a-zurich',
      both: ['y', 'z'],
      only: ['x'],
      title: 'The Quick Fox',
      padded: '**abc|x',
    },
  },
  {
    name: 'an iCalendar file',
    code: `const raw = (await fs.readFile('calendar.ics', 'utf8')).replace(/\\r?\\n[ \\t]/g, '');
const when = (s: string) => new Date(s.replace(/^(\\d{4})(\\d{2})(\\d{2})T(\\d{2})(\\d{2})(\\d{2})Z$/, '$1-$2-$3T$4:$5:$6Z'));
return [...raw.matchAll(/BEGIN:VEVENT\\r\\n([\\s\\S]*?)END:VEVENT/g)].map(([, body]) => {
  const f = Object.fromEntries(body.trim().split('\\r\\n').map((l) => { const i = l.indexOf(':'); return [l.slice(0, i), l.slice(i + 1)]; }));
  return { summary: f.SUMMARY.replace(/\\\\,/g, ','), minutes: (+when(f.DTEND) - +when(f.DTSTART)) / 60000, day: when(f.DTSTART).toLocaleDateString('en-US', { weekday: 'long' }) };
});`,
    right: [
      { summary: 'Planning, part one', minutes: 90, day: 'Monday' },
      { summary: 'A long title that is folded over two lines', minutes: 30, day: 'Tuesday' },
    ],
  },
  {
    name: 'classes, generators and a priority queue',
    code: `class Queue<T> {
  #items: { value: T; priority: number }[] = [];
  push(value: T, priority: number): this { this.#items.push({ value, priority }); this.#items.sort((a, b) => a.priority - b.priority); return this; }
  pop(): T | undefined { return this.#items.shift()?.value; }
  get size() { return this.#items.length; }
}
enum Level { Low = 1, High = 5 }
const graph: Record<string, Record<string, number>> = { A: { B: 7, C: 3 }, B: { D: 2 }, C: { B: 1, D: 8 }, D: {} };
function shortest(from: string, to: string) {
  const q = new Queue<[string, number, string[]]>().push([from, 0, [from]], 0);
  const seen = new Set<string>();
  while (q.size) {
    const [node, cost, path] = q.pop()!;
    if (node === to) return { cost, path };
    if (seen.has(node)) continue;
    seen.add(node);
    for (const [next, w] of Object.entries(graph[node])) q.push([next, cost + w, [...path, next]], cost + w);
  }
}
function* primes() { for (let n = 2; ; n++) { let ok = true; for (let i = 2; i * i <= n; i++) if (n % i === 0) { ok = false; break; } if (ok) yield n; } }
const first = []; for (const p of primes()) { if (first.length === 10) break; first.push(p); }
async function* later() { for (const n of [1, 2, 3]) { await new Promise((r) => setTimeout(r, 1)); yield n * Level.High; } }
const out: number[] = []; for await (const n of later()) out.push(n);
return { ...shortest('A', 'D'), first, out, clone: structuredClone({ d: new Date(0), m: new Map([[1, { a: 1 }]]) }).m.get(1), label: Level[5] };`,
    right: {
      cost: 6,
      path: ['A', 'C', 'B', 'D'],
      first: [2, 3, 5, 7, 11, 13, 17, 19, 23, 29],
      out: [5, 10, 15],
      clone: { a: 1 },
      label: 'High',
    },
  },
];
