// The files that the programs read: tables, texts, office files and pictures, each made from the same rows. Answers are computed from
// the rows, so they do not depend on the readers that a program uses.
import { crc32, gzipSync } from 'node:zlib';
import sharp from 'sharp';

const PRICES = { Lamp: 19.9, Chair: 49.5, Desk: 129, Shelf: 79.25, Sofa: 399 };
const PRODUCTS = Object.keys(PRICES);
const REGIONS = ['North', 'South', 'East', 'West'];
const DAY_MS = 86_400_000;
const dateOf = (days) => new Date(Date.UTC(2025, 0, 1) + days * DAY_MS).toISOString().slice(0, 10);

export const ORDERS = Array.from({ length: 240 }, (_, at) => {
  const product = PRODUCTS[(at * at + 3 * at + (at >> 3)) % PRODUCTS.length];
  return {
    order_id: 1001 + at,
    date: dateOf((at * 37) % 365),
    region: REGIONS[(at * 7 + (at >> 2)) % REGIONS.length],
    product,
    quantity: 1 + ((at * 13) % 9),
    unit_price: PRICES[product],
    customer_id: `C${String(((at * 11) % 24) + 1).padStart(2, '0')}`,
  };
});

const FIRST = ['Anna', 'Björn', 'Chloé', 'Dmitri', 'Elif', 'Farid', 'Grace', 'Hugo'];
const LAST = ['Müller', "O'Neill", 'Nguyễn', 'Kowalski', 'Šimić', 'Smith'];
const CITIES = [
  ['Berlin', 'DE'],
  ['Paris', 'FR'],
  ['Kraków', 'PL'],
  ['Austin', 'US'],
];
export const CUSTOMERS = Array.from({ length: 20 }, (_, at) => {
  const [city, country] = CITIES[(at * 3) % CITIES.length];
  return {
    id: `C${String(at + 1).padStart(2, '0')}`,
    name: `${LAST[at % LAST.length]}, ${FIRST[(at * 5) % FIRST.length]}`,
    city,
    country,
    signup: dateOf((at * 53) % 365).replace('2025', '2023'),
    score: at % 7 === 3 ? null : 50 + ((at * 17) % 51),
  };
});

/** Rows of a German export: decimal commas, points between thousands, days first. */
export const INVOICES = Array.from({ length: 30 }, (_, at) => ({
  date: dateOf(at * 11),
  customer: ['Müller GmbH', 'Größe & Söhne', 'Café Zürich'][at % 3],
  cents: 12_345 + at * 98_765,
}));
const german = (cents) => (cents / 100).toLocaleString('de-DE', { minimumFractionDigits: 2 });

/** Measurements with two outliers; x and y are correlated. */
export const SAMPLES = Array.from({ length: 50 }, (_, at) => {
  const noise = ((at * 7919) % 101) / 10 - 5;
  return { x: at, y: Number((3 + 2 * at + noise + (at === 17 || at === 31 ? 60 : 0)).toFixed(2)), group: 'AB'[at % 2] };
});

export const VISITS = Array.from({ length: 300 }, (_, at) => ({
  ip: `10.0.${at % 5}.${(at * 3) % 17}`,
  time: new Date(Date.UTC(2025, 2, 9, 5) + at * 97_000).toISOString(),
  method: at % 6 === 0 ? 'POST' : 'GET',
  path: ['/', '/shop', '/cart?item=5', '/api/v1/items', '/login'][(at * at) % 5],
  status: at % 13 === 0 ? 500 : at % 7 === 0 ? 404 : 200,
  bytes: 200 + ((at * 31) % 900),
}));
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const logTime = (time) =>
  `${time.slice(8, 10)}/${MONTHS[Number(time.slice(5, 7)) - 1]}/${time.slice(0, 4)}:${time.slice(11, 19)} +0000`;

export const ARTICLE = `The quick brown fox jumps over the lazy dog. The dog doesn't mind: it's asleep!

Ünïcode is everywhere — naïve cafés in Zürich serve crème brûlée. Email us at help@example.com or sales@example.org.
Call +49 30 1234567 before 5 p.m. The price is €1,299.00 (was €1,499.00). Visit https://example.com/a?b=1#top today.

"To be, or not to be", that is the question. The fox, the dog and the question: the end.
`;

export const PEOPLE = [
  {
    id: 1,
    name: 'Ana',
    manager: null,
    skills: ['go', 'sql'],
    address: { city: 'Lima', geo: { lat: -12.05, lon: -77.04 } },
  },
  {
    id: 2,
    name: 'Bo',
    manager: 1,
    skills: ['python', 'sql', 'rust'],
    address: { city: 'Oslo', geo: { lat: 59.91, lon: 10.75 } },
  },
  { id: 3, name: 'Cy', manager: 1, skills: [], address: { city: 'Cairo', geo: { lat: 30.04, lon: 31.24 } } },
  { id: 4, name: 'Di', manager: 2, skills: ['go', 'python'], address: null },
  { id: 5, name: 'Ed', manager: 2, skills: ['sql'], address: { city: 'Oslo', geo: { lat: 59.91, lon: 10.75 } } },
  { id: 6, name: 'Flo', manager: 4, skills: ['css'], address: { city: 'Quito', geo: { lat: -0.18, lon: -78.47 } } },
];

const field = (value) => {
  const text = value === null ? '' : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = (rows) =>
  [Object.keys(rows[0]), ...rows.map(Object.values)].map((row) => row.map(field).join(',')).join('\n');

/** Returns a ZIP file without compression. */
function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = Buffer.from(content);
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(0x5a21, 8);
    header.writeUInt32LE(crc32(data), 10);
    header.writeUInt32LE(data.length, 14);
    header.writeUInt32LE(data.length, 18);
    header.writeUInt16LE(Buffer.byteLength(name), 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), header, rest, Buffer.from(name));
    const local = [Buffer.from('PK\x03\x04', 'latin1'), header, Buffer.from(name), data];
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const escaped = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const DOCUMENTS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const relations = (list) =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${list
    .map(([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${DOCUMENTS}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;
const contentTypes = (list) =>
  `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${list
    .map(
      ([name, type]) =>
        `<Override PartName="/${name}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
    )
    .join('')}</Types>`;

/** Returns an Excel file with a sheet for each list of rows. */
function workbook(sheets) {
  const names = Object.keys(sheets);
  const cell = (value, reference) =>
    typeof value === 'number'
      ? `<c r="${reference}"><v>${value}</v></c>`
      : `<c r="${reference}" t="inlineStr"><is><t>${escaped(value ?? '')}</t></is></c>`;
  const sheet = (rows) =>
    `${XML}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows
      .map(
        (row, y) =>
          `<row r="${y + 1}">${row.map((value, x) => cell(value, `${'ABCDEFGHIJ'[x]}${y + 1}`)).join('')}</row>`,
      )
      .join('')}</sheetData></worksheet>`;
  return zip({
    '[Content_Types].xml': contentTypes([
      ['xl/workbook.xml', 'spreadsheetml.sheet.main'],
      ...names.map((_, at) => [`xl/worksheets/sheet${at + 1}.xml`, 'spreadsheetml.worksheet']),
    ]),
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${XML}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${DOCUMENTS}"><sheets>${names
      .map((name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(names.map((_, at) => ['worksheet', `worksheets/sheet${at + 1}.xml`])),
    ...Object.fromEntries(names.map((name, at) => [`xl/worksheets/sheet${at + 1}.xml`, sheet(sheets[name])])),
  });
}

export const PARAGRAPHS = ['Quarterly letter', 'Dear Ms. Šimić,', 'we sold 1,234 lamps & 56 sofas.', 'Kind regards'];

/** Returns a Word file with a paragraph for each text. */
function wordFile(paragraphs) {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r></w:p>`);
  return zip({
    '[Content_Types].xml': contentTypes([['word/document.xml', 'wordprocessingml.document.main']]),
    '_rels/.rels': relations([['officeDocument', 'word/document.xml']]),
    'word/document.xml': `${XML}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body.join('')}</w:body></w:document>`,
  });
}

export const PDF_PAGES = [
  ['Invoice 2025-117', 'Customer: Mueller GmbH', 'Total: 1,284.50 EUR'],
  ['Invoice 2025-118', 'Customer: Example Ltd', 'Total: 99.90 EUR'],
];

/** Returns a PDF with a page for each list of lines. */
function pdf(pages) {
  const objects = ['<</Type/Catalog/Pages 2 0 R>>'];
  const first = 4;
  const ids = pages.map((_, at) => `${first + 2 * at} 0 R`);
  objects.push(`<</Type/Pages/Count ${pages.length}/Kids[${ids.join(' ')}]>>`);
  objects.push('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>');
  for (const [at, lines] of pages.entries()) {
    const content = `BT /F1 12 Tf 72 720 Td 16 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents ${first + 2 * at + 1} 0 R>>`,
      `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    );
  }
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** A picture of 120 × 80 pixels: the left half is red, the right half is blue. */
function picture() {
  const pixels = Buffer.alloc(120 * 80 * 3);
  for (let at = 0; at < pixels.length; at += 3) pixels[at + ((at / 3) % 120 < 60 ? 0 : 2)] = 200;
  return sharp(pixels, { raw: { width: 120, height: 80, channels: 3 } })
    .png()
    .toBuffer();
}

const PAGE = `<!doctype html><html><head><title>Price list &amp; more</title><script>var x = "<td>no</td>";</script></head><body>
<h1>Prices</h1><table id="prices"><thead><tr><th>Product</th><th>Price</th></tr></thead><tbody>
${PRODUCTS.map((name) => `<tr><td>${name}</td><td class="price">€ ${PRICES[name].toFixed(2)}</td></tr>`).join('\n')}
</tbody></table><ul><li><a href="/a?x=1&amp;y=2">First</a></li><li><a href="https://example.org/b">Second <b>link</b></a></li></ul></body></html>`;

const FEED = `${XML}<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title>${[
  'One',
  'Two & a half',
  'Three',
]
  .map(
    (title, at) =>
      `<item><title>${escaped(title)}</title><dc:creator>Author ${at + 1}</dc:creator><pubDate>Mon, 0${3 + at * 1} Mar 2025 10:00:00 GMT</pubDate><enclosure length="${100 * (at + 1)}"/></item>`,
  )
  .join('')}</channel></rss>`;

const SETTINGS = `# deployment
name: shop
replicas: 3
env: &common
  LOG: debug
  RATE: 0.5
services:
  - name: web
    ports: [80, 443]
    env: *common
  - name: worker
    ports: []
    command: |
      run --all
      exit
`;

const CALENDAR = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1@example.com\r\nDTSTART:20250310T140000Z\r\nDTEND:20250310T153000Z\r\nSUMMARY:Planning\\, part one\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:2@example.com\r\nDTSTART:20250311T090000Z\r\nDTEND:20250311T093000Z\r\nSUMMARY:A long title that is fol\r\n ded over two lines\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

const MARKDOWN = `# Report\n\nSales **rose** by 12%.\n\n| region | sum |\n|---|---:|\n| North | 10 |\n| South | 20 |\n\n## Details\n\n- one\n- two [link](https://example.com)\n\n\`\`\`js\n# not a heading\n\`\`\`\n`;

/** Encodes a text of windows-1252 without the characters that differ from Latin-1. */
const western = (text) => Buffer.from(text, 'latin1');

/** Returns the files of each workspace by name. */
export async function workspaceFiles() {
  const germanRows = INVOICES.map(({ date, customer, cents }) => [
    date.split('-').reverse().join('.'),
    customer,
    german(cents),
  ]);
  return {
    'orders.csv': csv(ORDERS),
    'customers.csv': `\uFEFF${csv(CUSTOMERS)}`,
    'rechnungen.csv': western(['Datum;Kunde;Betrag', ...germanRows.map((row) => row.join(';'))].join('\r\n')),
    'samples.json': JSON.stringify(SAMPLES),
    'people.json': JSON.stringify({ people: PEOPLE }, undefined, 2),
    'events.ndjson': VISITS.map((visit) => JSON.stringify(visit)).join('\n'),
    'access.log': VISITS.map(
      (v) =>
        `${v.ip} - - [${logTime(v.time)}] "${v.method} ${v.path} HTTP/1.1" ${v.status} ${v.bytes} "-" "Mozilla/5.0"`,
    ).join('\n'),
    'article.txt': ARTICLE,
    'utf16.txt': Buffer.from('\uFEFFname\tvalue\r\nÄpfel\t3\r\nBirnen\t4\r\n', 'utf16le'),
    'book.xlsx': workbook({
      Orders: [Object.keys(ORDERS[0]), ...ORDERS.slice(0, 40).map(Object.values)],
      Targets: [['region', 'target'], ...REGIONS.map((region, at) => [region, 1000 * (at + 1)])],
    }),
    'letter.docx': wordFile(PARAGRAPHS),
    'invoices.pdf': pdf(PDF_PAGES),
    'photo.png': await picture(),
    'archive.zip': zip({ 'a.txt': 'alpha', 'sub/b.csv': 'x,y\n1,2\n3,4\n', 'sub/deep/c.json': '{"n": 5}' }),
    'orders.csv.gz': gzipSync(csv(ORDERS)),
    'page.html': PAGE,
    'feed.xml': FEED,
    'settings.yaml': SETTINGS,
    'calendar.ics': CALENDAR,
    'report.md': MARKDOWN,
  };
}

/** Returns the sums of numbers by key, in the order of the first use. */
export function sumBy(rows, key, amount) {
  const sums = {};
  for (const row of rows) sums[key(row)] = (sums[key(row)] ?? 0) + amount(row);
  return sums;
}

/** Returns the revenue of an order. */
export const revenue = ({ quantity, unit_price }) => quantity * unit_price;

/** Rounds to cents. */
export const cents = (value) => Math.round(value * 100) / 100;

/** Returns an object with changed values. */
export const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
