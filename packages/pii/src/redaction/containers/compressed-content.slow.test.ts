import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { newVault } from '../../../../../test/fixtures/vaults.ts';
import { createDetection } from '../../detection/detection.ts';
import { openRedactor } from '../redactor.ts';

function open() {
  return openRedactor({
    vault: newVault(),
    detection: createDetection({ patterns: { customer: '\\bCU-\\d{6}\\b' } }),
    policy: { tools: { '*': { SSN: 'allow', CREDIT_CARD: 'allow', SECRET: 'allow' } } },
    audit: () => undefined,
    ignored: new Set(),
    clear: new Set(),
  });
}

/** Returns a ZIP archive. */
function zip(files: Readonly<Record<string, Buffer | string>>, flags = 0): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = deflateRawSync(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(8, 10);
    central.writeUInt32LE(data.length, 20);
    central.writeUInt16LE(Buffer.byteLength(name), 28);
    central.writeUInt32LE(at, 42);
    parts.push(local, Buffer.from(name), data);
    directory.push(central, Buffer.from(name));
    at += 30 + Buffer.byteLength(name) + data.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

const SHARED =
  '<sst><si><t>Full name</t></si><si><t>City</t></si><si><t>Amelia Hartwick</t></si><si><t>Paris</t></si></sst>';
const SHEET =
  '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" t="s"><v>3</v></c></row></sheetData>';
/** An empty cell with a style is before the name. */
const STYLED =
  '<cols/><sheetData><row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="inlineStr"><is><t>Note</t></is></c><c r="C1" t="s"><v>0</v></c></row><row r="2"><c r="A2" t="s"><v>3</v></c><c r="B2" s="4"/><c r="C2" t="s"><v>2</v></c></row></sheetData>';
const pdf = (content: string | Buffer, font = '', filter = '/FlateDecode') =>
  Buffer.concat([
    Buffer.from(
      `%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Type /Page ${font}>> endobj\n4 0 obj <</Filter ${filter}>>\nstream\n`,
      'latin1',
    ),
    deflateSync(content),
    Buffer.from('\nendstream\nendobj\n%%EOF'),
  ]);
const nested = (depth: number, content: Buffer): Buffer =>
  depth === 0 ? content : nested(depth - 1, zip({ 'a.zip': content }));
const WITH_VALUES: readonly [string, Buffer, string][] = [
  ['gzip', gzipSync('mail ada@example.com'), 'EMAIL'],
  ['zlib', deflateSync('mail ada@example.com today, she waits for it'), 'EMAIL'],
  ['a CSV with names in a ZIP', zip({ 'a.csv': 'id,full_name,city\n1,Amelia Hartwick,Paris\n2,Bo Lund,Oslo' }), 'NAME'],
  ['JSON with names in gzip', gzipSync(JSON.stringify([{ first_name: 'Amelia', last_name: 'Hartwick' }])), 'NAME'],
  [
    'an SSN, which is stronger than a name',
    zip({ 'a.json': JSON.stringify({ name: 'Amelia Hartwick', ssn: '532-48-1973' }) }),
    'SSN',
  ],
  ['XLSX', zip({ 'xl/sharedStrings.xml': SHARED, 'xl/worksheets/sheet1.xml': SHEET }), 'NAME'],
  [
    'DOCX',
    zip({ 'word/document.xml': '<w:p><w:r><w:t>mail ada@exam</w:t></w:r><w:r><w:t>ple.com</w:t></w:r></w:p>' }),
    'EMAIL',
  ],
  ['a value in a file name', zip({ 'ada@example.com.txt': 'x' }), 'EMAIL'],
  ['a ZIP in gzip in a ZIP', zip({ 'b.gz': gzipSync(zip({ 'c.txt': 'CU-123456' })) }), 'CUSTOMER'],
  ['XLSX with empty cells', zip({ 'xl/sharedStrings.xml': SHARED, 'xl/worksheets/sheet1.xml': STYLED }), 'NAME'],
  ['PDF with brackets in a text', pdf('BT [(mail \\(now (or later)) 5 (: ada@) (example.com)] TJ ET'), 'EMAIL'],
  [
    'PDF with texts in hexadecimal',
    pdf(`BT [<${Buffer.from('ada@').toString('hex')}> 3 (example.com)] TJ ET`),
    'EMAIL',
  ],
  ['PDF with a stream in two filters', pdf(deflateSync('(x) Tj'), '', '[/FlateDecode /FlateDecode]'), 'SECRET'],
  ['PDF with a stream in ASCII', pdf('(x) Tj', '', '[/ASCII85Decode /FlateDecode]'), 'SECRET'],
  ['PDF', pdf('BT (mail ada@example.com) Tj ET'), 'EMAIL'],
  ['PDF with parts of text', pdf('BT [(mail ada@) -20 (example.com)] TJ ET'), 'EMAIL'],
  ['a PDF with codes of its own', pdf('BT <0102> Tj ET', '/Encoding /Identity-H'), 'SECRET'],
  ['an encrypted ZIP', zip({ 'a.txt': 'hello' }, 1), 'SECRET'],
  ['a damaged gzip', gzipSync('hello, world, hello').subarray(0, 24), 'SECRET'],
  ['a ZIP in a ZIP, ten deep', nested(10, zip({ 'a.txt': 'hello' })), 'SECRET'],
  ['bzip2', Buffer.from('425a68393141592653590e09e2df000000', 'hex'), 'SECRET'],
  ['xz', Buffer.from('fd377a585a000004e6d6b4460200210116', 'hex'), 'SECRET'],
  ['7-Zip', Buffer.from('377abcaf271c0004c5d3b0f0000000000000', 'hex'), 'SECRET'],
  ['RAR', Buffer.from('526172211a0701003392b5e50a010506000501', 'hex'), 'SECRET'],
  ['Zstandard', Buffer.from('28b52ffd2014a100006869206164612c20', 'hex'), 'SECRET'],
  ['a text file of 2003', Buffer.from('d0cf11e0a1b11ae100000000000000000000', 'hex'), 'SECRET'],
  [
    'an archive with a bad character set',
    zip({ 'a.txt': Buffer.from('\xff\xfe\x80ada@example.com\xc3', 'latin1') }),
    'EMAIL',
  ],
  ['a gzip of 64 MB', gzipSync(Buffer.alloc(64 * 1024 * 1024)), 'SECRET'],
];
const CRM = { server: 'crm' };

describe.each(WITH_VALUES)('%s', (_name, bytes, type) => {
  const base64 = bytes.toString('base64');
  it.each<[string, unknown, string]>([
    ['base64', { content: base64 }, base64],
    ['base64 in a text', { text: `data:application/octet-stream;base64,${base64} end` }, base64],
    ['lines', { content: base64.replace(/.{76}/g, '$&\r\n') }, base64.replace(/.{76}/g, '$&\r\n')],
    ['base64url', { content: bytes.toString('base64url') }, bytes.toString('base64url')],
    ['hexadecimal', { content: bytes.toString('hex') }, bytes.toString('hex')],
    ['a resource', { uri: 'file:///a.bin', blob: base64 }, base64],
  ])('in %s is one placeholder, and a tool receives it unchanged', async (_form, value, run) => {
    const redactor = open();
    const { guestValue } = await redactor.redactResult(value, CRM);
    const text = JSON.stringify(guestValue);
    expect(text).toMatch(new RegExp(`\\[${type}_1\\]`));
    expect(text).not.toContain(JSON.stringify(run).slice(1, 40));
    const { args } = await redactor.restoreArguments(guestValue as Record<string, unknown>, {
      tool: 'crm__put',
      server: 'crm',
    });
    expect(args).toEqual(value);
  });
});

test('a name that the session knows is found in compressed content', async () => {
  const redactor = open();
  const value = { content: gzipSync('Yesterday Amelia Hartwick called.').toString('base64') };
  expect((await redactor.redactResult(value, CRM)).guestValue).toEqual(value);
  await redactor.redactResult({ full_name: 'Amelia Hartwick' }, CRM);
  expect((await redactor.redactResult(value, CRM)).guestValue).toEqual({ content: '[NAME_2]' });
});

/** Each of these took minutes or never ended with patterns that go back. */
it.each([
  ['PDF of texts in one list', pdf(`[${'(a)'.repeat(1_000_000)}`)],
  ['PDF of lists', pdf('[(a)'.repeat(1_000_000))],
  ['PDF of brackets', pdf('('.repeat(4_000_000))],
  ['PDF of streams', Buffer.concat([Buffer.from('%PDF-'), Buffer.from('stream\nendstream'.repeat(1_900))])],
  ['DOCX of ends', zip({ 'word/document.xml': '</w:t>'.repeat(1_000_000) })],
  ['DOCX of tags', zip({ 'word/document.xml': `</w:t>${'<a>'.repeat(1_000_000)}` })],
  ['DOCX of starts', zip({ 'word/document.xml': '<'.repeat(4_000_000) })],
  ['XLSX of rows', zip({ 'xl/worksheets/sheet1.xml': '<row>'.repeat(1_000_000) })],
  ['XLSX of other names', zip({ 'xl/worksheets/sheet1.xml': `<row>${'<cx'.repeat(1_000_000)}</row>` })],
  ['a ZIP of one file many times', zip(Object.fromEntries(Array.from({ length: 1_999 }, (_, at) => [`${at}`, 'a'])))],
])('%s is read in linear time', async (_name, bytes) => {
  const value = { content: bytes.toString('base64') };
  expect((await open().redactResult(value, CRM)).guestValue).toEqual(value);
});

it.each([
  ['one run', (base64: string) => base64],
  ['lines', (base64: string) => base64.replace(/.{76}/g, '$&\n')],
])('base64 of 50 MB and of a gzip of 5 MB in %s is read in linear time', async (_form, written) => {
  const bytes = Buffer.alloc(37_500_000, 'no value here, ');
  const small = gzipSync(bytes.subarray(0, 3_750_000), { level: 0 });
  const value = { text: written(bytes.toString('base64')), gzip: written(small.toString('base64')) };
  expect((await open().redactResult(value, CRM)).guestValue).toEqual(value);
});

it('a text in the last lines of binary data in lines is read', async () => {
  const bytes = Buffer.concat([Buffer.alloc(570, '\x01\xff'), Buffer.from('mail ada@example.com '.repeat(19))]);
  const content = `${Buffer.alloc(57, 'a').toString('base64')}\n${bytes.toString('base64').replace(/.{76}/g, '$&\n')}`;
  const { guestValue } = await open().redactResult({ content }, CRM);
  expect(JSON.stringify(guestValue)).not.toContain(Buffer.from('ada@example.com').toString('base64').slice(4, 12));
  expect(guestValue).not.toEqual({ content });
});

it.each([
  ['gzip', gzipSync('nothing here, and nothing there')],
  ['ZIP', zip({ 'README.md': '# Title', 'src/index.ts': 'export const a = 1;' })],
  ['PDF', pdf('BT (Hello) Tj ET')],
  ['bytes that begin as ZLIB does', Buffer.from('789c0102030405060708090a0b0c0d0e0f', 'hex')],
])('%s without values stays', async (_name, bytes) => {
  const value = {
    content: bytes.toString('base64'),
    hex: bytes.toString('hex'),
    uri: 'a:b',
    blob: bytes.toString('base64'),
  };
  expect((await open().redactResult(value, CRM)).guestValue).toEqual(value);
});
