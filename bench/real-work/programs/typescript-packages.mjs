// TypeScript with packages of npm.
import { CUSTOMERS, cents, ORDERS, PDF_PAGES, revenue, SAMPLES, sumBy } from '../data.mjs';
import { isZipWith } from '../right.mjs';

const round = (value, digits) => Math.round(value * 10 ** digits) / 10 ** digits;
const mean = SAMPLES.reduce((sum, { y }) => sum + y, 0) / SAMPLES.length;

export const programs = [
  {
    name: 'lodash: groups, sums and order',
    packages: ['lodash', 'papaparse'],
    code: `import _ from 'lodash';
import Papa from 'papaparse';

const { data, errors } = Papa.parse<any>(await fs.readFile('orders.csv', 'utf8'), { header: true, dynamicTyping: true, skipEmptyLines: true });
if (errors.length) throw new Error(errors[0].message);
return _(data)
  .groupBy('region')
  .map((rows, region) => ({ region, units: _.sumBy(rows, 'quantity'), revenue: _.round(_.sumBy(rows, (r) => r.quantity * r.unit_price), 2) }))
  .orderBy('revenue', 'desc')
  .value();`,
    right: () =>
      Object.entries(sumBy(ORDERS, ({ region }) => region, revenue))
        .toSorted((a, b) => b[1] - a[1])
        .map(([region, sum]) => ({
          region,
          units: ORDERS.filter((order) => order.region === region).reduce((n, { quantity }) => n + quantity, 0),
          revenue: cents(sum),
        })),
  },
  {
    name: 'lodash: named imports and deep values',
    packages: ['lodash'],
    code: `import { chunk, cloneDeep, countBy, get, keyBy, merge, set, uniq, zipObject } from 'lodash';

const { people } = JSON.parse(await fs.readFile('people.json', 'utf8'));
const byId = keyBy(people, 'id');
const copy = cloneDeep(people[0]);
set(copy, 'address.geo.alt', 150);
return {
  city: get(byId, '2.address.city', 'none'),
  none: get(byId, '4.address.city', 'none'),
  alt: [copy.address.geo.alt, people[0].address.geo.alt ?? null],
  counts: countBy(people.flatMap((p: any) => p.skills)),
  chunks: chunk(uniq([1, 2, 2, 3, 4]), 3),
  merged: merge({ a: { b: 1 } }, { a: { c: 2 } }),
  zipped: zipObject(['x', 'y'], [1, 2]),
};`,
    right: {
      city: 'Oslo',
      none: 'none',
      alt: [150, null],
      counts: { go: 2, sql: 3, python: 2, rust: 1, css: 1 },
      chunks: [[1, 2, 3], [4]],
      merged: { a: { b: 1, c: 2 } },
      zipped: { x: 1, y: 2 },
    },
  },
  {
    name: 'papaparse: quoted fields, and a table written',
    packages: ['papaparse'],
    code: `import Papa from 'papaparse';

const text = await fs.readFile('customers.csv', 'utf8');
const result = Papa.parse(text.replace(/^\\uFEFF/, ''), { header: true });
const rows = result.data as Record<string, string>[];
const german = rows.filter((r) => r.country === 'DE').map(({ id, name }) => ({ id, name, note: 'says "hi", ok' }));
const out = Papa.unparse(german, { delimiter: ';' });
await fs.writeFile('german.csv', out);
return { fields: result.meta.fields, n: german.length, line: out.split('\\r\\n')[1] };`,
    right: {
      fields: ['id', 'name', 'city', 'country', 'signup', 'score'],
      n: CUSTOMERS.filter(({ country }) => country === 'DE').length,
      line: `C01;Müller, Anna;"says ""hi"", ok"`,
    },
  },
  {
    name: 'date-fns: ranges and differences',
    packages: ['date-fns'],
    code: `import { addMonths, differenceInCalendarDays, eachWeekOfInterval, endOfMonth, format, isWeekend, parseISO, startOfISOWeek } from 'date-fns';

const start = parseISO('2025-01-31');
return {
  month: format(addMonths(start, 1), 'yyyy-MM-dd'),
  end: format(endOfMonth(parseISO('2024-02-10')), 'EEEE, d MMMM yyyy'),
  days: differenceInCalendarDays(parseISO('2025-12-24'), start),
  week: format(startOfISOWeek(parseISO('2025-03-09')), "yyyy-'W'II"),
  weeks: eachWeekOfInterval({ start: parseISO('2025-03-01'), end: parseISO('2025-03-31') }).length,
  weekend: isWeekend(parseISO('2025-03-09')),
};`,
    right: {
      month: '2025-02-28',
      end: 'Thursday, 29 February 2024',
      days: 327,
      week: '2025-W10',
      weeks: 6,
      weekend: true,
    },
  },
  {
    name: 'simple-statistics: description and regression',
    packages: ['simple-statistics'],
    code: `import * as ss from 'simple-statistics';

const samples = JSON.parse(await fs.readFile('samples.json', 'utf8'));
const ys = samples.map((s: any) => s.y);
const line = ss.linearRegression(samples.map((s: any) => [s.x, s.y]));
const predict = ss.linearRegressionLine(line);
return { mean: +ss.mean(ys).toFixed(3), sd: +ss.sampleStandardDeviation(ys).toFixed(3), median: ss.median([3, 1, 2]), at100: predict(100) > 190 };`,
    right: {
      mean: round(mean, 3),
      sd: round(Math.sqrt(SAMPLES.reduce((sum, { y }) => sum + (y - mean) ** 2, 0) / 49), 3),
      median: 2,
      at100: true,
    },
  },
  {
    name: 'jszip: read and write an archive',
    packages: ['jszip'],
    code: `import JSZip from 'jszip';

const zip = await JSZip.loadAsync(await fs.readFile('archive.zip', null));
const names = Object.keys(zip.files);
const json = JSON.parse(await zip.file('sub/deep/c.json')!.async('string'));
zip.file('added.txt', 'new äöü');
zip.remove('a.txt');
const data = await zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE' });
await fs.writeFile('changed.zip', data);
const again = await JSZip.loadAsync(data);
return { names, n: json.n, again: Object.keys(again.files).sort(), text: await again.file('added.txt')!.async('text') };`,
    right: {
      names: ['a.txt', 'sub/b.csv', 'sub/deep/c.json'],
      n: 5,
      again: ['added.txt', 'sub/b.csv', 'sub/deep/c.json'],
      text: 'new äöü',
    },
    check: isZipWith('changed.zip', 'added.txt'),
  },
  {
    name: 'docx: a document with a table',
    packages: ['docx'],
    code: `import { Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow, TextRun } from 'docx';

const doc = new Document({
  sections: [{
    children: [
      new Paragraph({ text: 'Report', heading: HeadingLevel.HEADING_1 }),
      new Paragraph({ children: [new TextRun('Sales rose by '), new TextRun({ text: '12%', bold: true })] }),
      new Table({ rows: [['North', '10'], ['South', '20']].map((r) => new TableRow({ children: r.map((t) => new TableCell({ children: [new Paragraph(t)] })) })) }),
    ],
  }],
});
const buffer = await Packer.toBuffer(doc);
await fs.writeFile('report.docx', buffer);
await show('report.docx');
return buffer.length > 2000;`,
    right: true,
    check: isZipWith('report.docx', 'word/document.xml'),
  },
  {
    name: 'pdf-lib: pages counted, a page added',
    packages: ['pdf-lib'],
    code: `import { PDFDocument, rgb, StandardFonts } from 'pdf-lib';

const pdf = await PDFDocument.load(await fs.readFile('invoices.pdf', null));
const before = pdf.getPageCount();
const font = await pdf.embedFont(StandardFonts.HelveticaBold);
const page = pdf.addPage([400, 300]);
page.drawText('Approved', { x: 50, y: 200, size: 30, font, color: rgb(0, 0.5, 0) });
pdf.setTitle('Invoices');
const bytes = await pdf.save();
await fs.writeFile('approved.pdf', bytes);
const again = await PDFDocument.load(bytes);
return { before, after: again.getPageCount(), title: again.getTitle(), width: Math.round(font.widthOfTextAtSize('Approved', 30)) };`,
    right: { before: PDF_PAGES.length, after: 3, title: 'Invoices', width: 139 },
    check: async (_, { read }) => String((await read('approved.pdf')).subarray(0, 5)) === '%PDF-',
  },
  {
    name: 'cheerio: table and links of a page',
    packages: ['cheerio'],
    code: `import * as cheerio from 'cheerio';

const $ = cheerio.load(await fs.readFile('page.html', 'utf8'));
const prices: Record<string, number> = {};
$('#prices tbody tr').each((_, tr) => {
  const [name, price] = $(tr).find('td').map((_, td) => $(td).text().trim()).get();
  prices[name] = Number(price.replace(/[^\\d.]/g, ''));
});
return { title: $('title').text(), prices, links: $('a').map((_, a) => new URL($(a).attr('href')!, 'https://shop.example/x/').href).get() };`,
    right: {
      title: 'Price list & more',
      prices: { Lamp: 19.9, Chair: 49.5, Desk: 129, Shelf: 79.25, Sofa: 399 },
      links: ['https://shop.example/a?x=1&y=2', 'https://example.org/b'],
    },
  },
  {
    name: 'marked and yaml: a page with front matter',
    packages: ['marked', 'yaml'],
    code: `import { marked } from 'marked';
import { parse, stringify } from 'yaml';

const cfg = parse(await fs.readFile('settings.yaml', 'utf8'));
cfg.services.push({ name: 'cron', ports: [9000], env: { LOG: 'info' } });
await fs.writeFile('settings.yaml', stringify(cfg));
const again = parse(await fs.readFile('settings.yaml', 'utf8'));
const html = marked.parse(await fs.readFile('report.md', 'utf8')) as string;
return { ports: again.services.flatMap((s: any) => s.ports), rate: again.services[0].env.RATE, h: html.match(/<h\\d/g), table: html.includes('<table>'), code: html.includes('<code class="language-js">') };`,
    right: { ports: [80, 443, 9000], rate: 0.5, h: ['<h1', '<h2'], table: true, code: true },
  },
  {
    name: 'fast-xml-parser: a feed',
    packages: ['fast-xml-parser'],
    code: `import { XMLBuilder, XMLParser } from 'fast-xml-parser';

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@', parseAttributeValue: true });
const feed = parser.parse(await fs.readFile('feed.xml', 'utf8'));
const items = feed.rss.channel.item.map((i: any) => ({ title: i.title, author: i['dc:creator'], length: i.enclosure['@length'] }));
const xml = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@' }).build({ items: { item: items.map((i: any) => ({ '@n': i.length, '#text': i.title })) } });
return { items: items.filter((i: any) => i.length > 150), xml };`,
    right: {
      items: [
        { title: 'Two & a half', author: 'Author 2', length: 200 },
        { title: 'Three', author: 'Author 3', length: 300 },
      ],
      xml: '<items><item n="100">One</item><item n="200">Two &amp; a half</item><item n="300">Three</item></items>',
    },
  },
  {
    name: 'jszip: the sheet of an Excel file',
    packages: ['jszip', 'fast-xml-parser'],
    code: `import JSZip from 'jszip';
import { XMLParser } from 'fast-xml-parser';

const zip = await JSZip.loadAsync(await fs.readFile('book.xlsx', null));
const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' });
const workbook = parser.parse(await zip.file('xl/workbook.xml')!.async('string'));
const names = workbook.workbook.sheets.sheet.map((s: any) => s.name);
const sheet = parser.parse(await zip.file('xl/worksheets/sheet2.xml')!.async('string'));
const rows = sheet.worksheet.sheetData.row.map((r: any) => r.c.map((c: any) => c.is?.t ?? c.v));
return { names, rows };`,
    right: {
      names: ['Orders', 'Targets'],
      rows: [
        ['region', 'target'],
        ['North', 1000],
        ['South', 2000],
        ['East', 3000],
        ['West', 4000],
      ],
    },
  },
];
