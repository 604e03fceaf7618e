// Files, archives and modules of Node in TypeScript, without packages.
import { ORDERS, PARAGRAPHS, VISITS } from '../data.mjs';
import { isZipWith } from '../right.mjs';

export const programs = [
  {
    name: 'walk through folders and write a manifest',
    code: `import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

const entries = await readdir('.', { withFileTypes: true });
for (const e of entries.filter((e) => e.isFile() && path.extname(e.name) === '.csv')) {
  await mkdir(path.join('data', 'csv'), { recursive: true });
  await rename(e.name, path.join('data', 'csv', e.name));
}
const all = (await readdir('.', { recursive: true })).filter((p) => String(p).includes('csv/'));
const manifest = await Promise.all(all.map(async (p) => ({ name: path.basename(String(p), '.csv'), bytes: (await stat(String(p))).size })));
await writeFile('data/manifest.json', JSON.stringify(manifest, null, 2));
const back = JSON.parse((await readFile('data/manifest.json')).toString());
return { names: back.map((m: any) => m.name).sort(), rel: path.relative('/workspace/data', '/workspace/data/csv/orders.csv'), parsed: path.parse('/a/b.tar.gz').ext };`,
    right: { names: ['customers', 'orders', 'rechnungen'], rel: 'csv/orders.csv', parsed: '.gz' },
  },
  {
    name: 'a missing file, an existing folder and a copy',
    code: `import fs from 'node:fs/promises';
import { constants, existsSync } from 'node:fs';

const codes: string[] = [];
for (const task of [() => fs.readFile('nope.txt', 'utf8'), () => fs.mkdir('d').then(() => fs.mkdir('d')), () => fs.rmdir('full'), () => fs.readdir('orders.csv'), () => fs.access('nope', constants.R_OK)]) {
  if (!existsSync('full')) { await fs.mkdir('full'); await fs.writeFile('full/x', '1'); }
  try { await task(); codes.push('ok'); } catch (e: any) { codes.push(e.code); }
}
await fs.cp('full', 'copy', { recursive: true });
await fs.copyFile('orders.csv', 'copy/orders.csv');
await fs.rm('full', { recursive: true, force: true });
await fs.appendFile('copy/x', '2');
return { codes, copy: (await fs.readdir('copy')).sort(), x: await fs.readFile('copy/x', 'utf8'), gone: existsSync('full') };`,
    right: {
      codes: ['ENOENT', 'EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'ENOENT'],
      copy: ['orders.csv', 'x'],
      x: '12',
      gone: false,
    },
  },
  {
    name: 'bytes: read a picture header and a part of a file',
    code: `import { open, readFile } from 'node:fs/promises';

const png = await readFile('photo.png');
const handle = await open('orders.csv', 'r');
const { bytesRead, buffer } = await handle.read(Buffer.alloc(8), 0, 8, 0);
const size = (await handle.stat()).size;
await handle.close();
return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), magic: png.subarray(1, 4).toString(), head: buffer.toString('utf8', 0, bytesRead), size };`,
    right: () => {
      const rows = [Object.keys(ORDERS[0]), ...ORDERS.map(Object.values)].map((row) => row.join(',')).join('\n');
      return { width: 120, height: 80, magic: 'PNG', head: 'order_id', size: rows.length };
    },
  },
  {
    name: 'gzip: read lines, write a compressed file',
    code: `import { gunzipSync, gzipSync } from 'node:zlib';
import { readFileSync, statSync, writeFileSync } from 'node:fs';

const text = gunzipSync(readFileSync('orders.csv.gz')).toString('utf8');
const rows = text.trim().split('\\n').length - 1;
const log = readFileSync('access.log');
writeFileSync('access.log.gz', gzipSync(log, { level: 9 }));
const same = gunzipSync(readFileSync('access.log.gz')).equals(log);
return { rows, same, smaller: statSync('access.log.gz').size < statSync('access.log').size / 4 };`,
    right: { rows: ORDERS.length, same: true, smaller: true },
  },
  {
    name: 'streams: a pipeline with gzip',
    code: `import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Transform } from 'node:stream';

let bytes = 0;
const counter = new Transform({ transform(chunk, _enc, cb) { bytes += chunk.length; cb(null, chunk); } });
await pipeline(createReadStream('access.log'), counter, createGzip(), createWriteStream('out.gz'));
await pipeline(createReadStream('out.gz'), createGunzip(), createWriteStream('out.log'));
return { bytes, same: (await fs.readFile('out.log', 'utf8')) === (await fs.readFile('access.log', 'utf8')) };`,
    right: () => ({
      bytes: VISITS.reduce((sum, visit) => sum + logLine(visit).length + 1, -1),
      same: true,
    }),
  },
  {
    name: 'a ZIP archive by hand',
    code: `import { inflateRawSync } from 'node:zlib';

const zip = Buffer.from(await fs.readFile('letter.docx', null));
let eocd = zip.length - 22;
while (zip.readUInt32LE(eocd) !== 0x06054b50) eocd--;
const files = new Map<string, Buffer>();
let p = zip.readUInt32LE(eocd + 16);
for (let i = 0; i < zip.readUInt16LE(eocd + 10); i++) {
  const method = zip.readUInt16LE(p + 10), size = zip.readUInt32LE(p + 20), n = zip.readUInt16LE(p + 28), m = zip.readUInt16LE(p + 30), k = zip.readUInt16LE(p + 32), at = zip.readUInt32LE(p + 42);
  const name = zip.toString('utf8', p + 46, p + 46 + n);
  const start = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  const data = zip.subarray(start, start + size);
  files.set(name, method === 8 ? inflateRawSync(data) : data);
  p += 46 + n + m + k;
}
const xml = files.get('word/document.xml')!.toString('utf8');
return [...xml.matchAll(/<w:t[^>]*>([^<]*)<\\/w:t>/g)].map((m) => m[1].replace(/&amp;/g, '&'));`,
    right: PARAGRAPHS,
  },
  {
    name: 'UTF-16 text becomes UTF-8',
    code: `const bytes = await fs.readFile('utf16.txt', null);
const text = new TextDecoder('utf-16le').decode(bytes);
const rows = text.trim().split(/\\r\\n/).map((l) => l.split('\\t'));
await fs.writeFile('utf8.csv', rows.map((r) => r.join(',')).join('\\n') + '\\n', 'utf8');
const out = Buffer.from(await fs.readFile('utf8.csv', null));
return { rows, hex: out.subarray(11, 13).toString('hex'), length: out.length, latin: Buffer.from('Äpfel', 'latin1').toString('hex') };`,
    right: {
      rows: [
        ['name', 'value'],
        ['Äpfel', '3'],
        ['Birnen', '4'],
      ],
      hex: 'c384',
      length: 11 + 9 + 9,
      latin: 'c47066656c',
    },
  },
  {
    name: 'a large file written and read by streams',
    code: `import fs from 'node:fs';
import readline from 'node:readline';

const out = fs.createWriteStream('big.csv');
for (let i = 0; i < 200_000; i++) {
  if (!out.write(\`\${i},user\${i % 1000},\${(i * 7) % 1013}\\n\`)) await new Promise((r) => out.once('drain', r));
}
await new Promise<void>((resolve, reject) => { out.on('error', reject); out.end(() => resolve()); });
let total = 0, lines = 0;
for await (const line of readline.createInterface({ input: fs.createReadStream('big.csv') })) {
  total += Number(line.split(',')[2]);
  lines++;
}
return { lines, total, size: fs.statSync('big.csv').size };`,
    right: () => {
      let [size, total] = [0, 0];
      for (let at = 0; at < 200_000; at++) {
        size += `${at},user${at % 1000},${(at * 7) % 1013}\n`.length;
        total += (at * 7) % 1013;
      }
      return { lines: 200_000, total, size };
    },
  },
  {
    name: 'events, promises and a limited pool',
    code: `import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify, inspect } from 'node:util';
import assert from 'node:assert/strict';

const bus = new EventEmitter();
setTimeout(() => bus.emit('ready', 42), 5);
const [value] = await once(bus, 'ready');
async function pool<T, R>(items: T[], n: number, fn: (t: T) => Promise<R>) {
  const results: R[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: n }, async () => { while (next < items.length) { const i = next++; results[i] = await fn(items[i]); } }));
  return results;
}
let active = 0, peak = 0;
const squares = await pool([1, 2, 3, 4, 5], 2, async (n) => { active++; peak = Math.max(peak, active); await delay(2); active--; return n * n; });
const controller = new AbortController();
const aborted = delay(10_000, null, { signal: controller.signal }).catch((e) => e.name);
controller.abort();
const twice = promisify((n: number, cb: (e: Error | null, r: number) => void) => cb(null, n * 2));
assert.deepEqual({ a: [1, 2] }, { a: [1, 2] });
const settled = await Promise.allSettled([twice(4), Promise.reject(new Error('x'))]);
return { value, squares, peak, aborted: await aborted, settled: settled.map((s) => s.status), text: inspect({ a: [1, { b: 2 }] }), fastest: await Promise.any([delay(50, 'slow'), delay(1, 'fast')]) };`,
    right: {
      value: 42,
      squares: [1, 4, 9, 16, 25],
      peak: 2,
      aborted: 'AbortError',
      settled: ['fulfilled', 'rejected'],
      text: '{ a: [ 1, { b: 2 } ] }',
      fastest: 'fast',
    },
  },
  {
    name: 'an Excel file by hand',
    code: `import { crc32 } from 'node:zlib';

const sheet = \`<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Total</t></is></c><c r="B1"><v>42</v></c></row></sheetData></worksheet>\`;
const files: Record<string, string> = {
  '[Content_Types].xml': '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>',
  'xl/worksheets/sheet1.xml': sheet,
};
const chunks: Uint8Array[] = [];
const central: Uint8Array[] = [];
let offset = 0;
for (const [name, text] of Object.entries(files)) {
  const data = new TextEncoder().encode(text), fname = new TextEncoder().encode(name);
  const head = new DataView(new ArrayBuffer(30));
  head.setUint32(0, 0x04034b50, true); head.setUint16(4, 20, true);
  head.setUint32(14, crc32(data), true); head.setUint32(18, data.length, true); head.setUint32(22, data.length, true); head.setUint16(26, fname.length, true);
  const dir = new DataView(new ArrayBuffer(46));
  dir.setUint32(0, 0x02014b50, true); dir.setUint16(4, 20, true); dir.setUint16(6, 20, true);
  dir.setUint32(16, crc32(data), true); dir.setUint32(20, data.length, true); dir.setUint32(24, data.length, true); dir.setUint16(28, fname.length, true); dir.setUint32(42, offset, true);
  chunks.push(new Uint8Array(head.buffer), fname, data);
  central.push(new Uint8Array(dir.buffer), fname);
  offset += 30 + fname.length + data.length;
}
const size = central.reduce((s, c) => s + c.length, 0);
const end = new DataView(new ArrayBuffer(22));
end.setUint32(0, 0x06054b50, true); end.setUint16(8, 2, true); end.setUint16(10, 2, true); end.setUint32(12, size, true); end.setUint32(16, offset, true);
const blob = new Blob([...chunks, ...central, new Uint8Array(end.buffer)]);
await fs.writeFile('hand.xlsx', new Uint8Array(await blob.arrayBuffer()));
await show('hand.xlsx');
return blob.size === offset + size + 22;`,
    right: true,
    check: isZipWith('hand.xlsx', 'xl/worksheets/sheet1.xml'),
  },
];

const MONTHS = ['Jan', 'Feb', 'Mar'];
/** Returns a line of the access log. */
function logLine({ ip, time, method, path, status, bytes }) {
  const day = `${time.slice(8, 10)}/${MONTHS[Number(time.slice(5, 7)) - 1]}/${time.slice(0, 4)}:${time.slice(11, 19)}`;
  return `${ip} - - [${day} +0000] "${method} ${path} HTTP/1.1" ${status} ${bytes} "-" "Mozilla/5.0"`;
}
