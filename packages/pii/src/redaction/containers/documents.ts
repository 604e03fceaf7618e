import { inflateSync } from 'node:zlib';
import { type Part, type Room, taken } from './archive.ts';

const SHEET = /^xl\/worksheets\/[^/]+\.xml$/;
const SHARED = 'xl/sharedStrings.xml';
const STREAM = Buffer.from('stream');
const END_STREAM = Buffer.from('endstream');
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const FLATE = '/FlateDecode';
const IMAGES: ReadonlySet<string> = new Set(['/DCTDecode', '/JPXDecode', '/CCITTFaxDecode', '/JBIG2Decode']);
/** Characters of the dictionary of a stream. */
const MAX_HEADER = 4_096;
/** Fonts whose codes are not those of characters. */
const OWN_CODES = /\/(?:Identity-[HV]|ToUnicode|Encrypt|ObjStm)\b/;

/** Returns the rows of the sheets of a workbook as CSV, one text for each sheet. */
export function sheetsOf(parts: readonly Part[]): string[] {
  const shared = parts.find(({ name }) => name === SHARED)?.bytes.toString() ?? '';
  const texts = elements(shared, 'si').map(({ content }) => textOfMarkup(content, ''));
  const textOfCell = ({ attributes, content }: Element) => {
    const text = textOfMarkup(content, '');
    return quoted(/\bt="s"/.test(attributes) ? (texts[Number(text)] ?? '') : text);
  };
  return parts
    .filter(({ name }) => SHEET.test(name))
    .map(({ bytes }) =>
      elements(bytes.toString(), 'row')
        .map(({ content }) => elements(content, 'c').map(textOfCell).join(','))
        .join('\n'),
    );
}

interface Element {
  readonly attributes: string;
  readonly content: string;
}

/** Returns the elements of a name in XML, which are not in each other. An empty cell is one, too. Each character is read once. */
function elements(markup: string, name: string): Element[] {
  const found: Element[] = [];
  const [start, end] = [`<${name}`, `</${name}>`];
  for (let at = markup.indexOf(start); at >= 0; at = markup.indexOf(start, at + 1)) {
    // Another name begins with this one.
    if (/[^\s/>]/.test(markup[at + start.length] ?? '')) continue;
    const open = markup.indexOf('>', at);
    if (open < 0) break;
    const attributes = markup.slice(at + start.length, open);
    const isEmpty = attributes.endsWith('/');
    const close = isEmpty ? open : markup.indexOf(end, open);
    if (close < 0) break;
    found.push({ attributes, content: isEmpty ? '' : markup.slice(open + 1, close) });
    at = close;
  }
  return found;
}

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Returns the text of XML or HTML, with `gap` in place of each tag. */
export function textOfMarkup(markup: string, gap: string): string {
  // The parts of a word that a text processor has cut are one word.
  const plain = markup.replaceAll(/<\/w:t>(?:(?!<\/w:[pt]>)<[^<>]*>)*?<w:t\b[^<>]*>/g, '').replaceAll(/<[^<>]*>/g, gap);
  return plain.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (_, decimal, hex, name) =>
    name
      ? (ENTITIES[name] ?? '')
      : String.fromCodePoint(Math.min(0x10ffff, decimal ? Number(decimal) : Number.parseInt(hex, 16))),
  );
}

/** Returns the texts of a PDF. Raises an error for a PDF whose text cannot be read: encrypted, or with fonts of their own codes. */
export function pdfTexts(bytes: Buffer, room: Room): string[] {
  const source = bytes.toString('latin1');
  if (OWN_CODES.test(source)) throw new RangeError('The text of the PDF cannot be read.');
  const texts = [source];
  for (let at = bytes.indexOf(STREAM); at >= 0; at = bytes.indexOf(STREAM, at)) {
    const from = at + STREAM.length + (bytes[at + STREAM.length] === 13 ? 2 : 1);
    const end = bytes.indexOf(END_STREAM, from);
    if (end < 0) break;
    const before = source.slice(Math.max(0, at - MAX_HEADER), at);
    const header = before.slice(Math.max(0, before.lastIndexOf('obj')));
    const raw = bytes.subarray(from, end);
    at = end + END_STREAM.length;
    const filters = header.match(/\/\w+Decode\b/g) ?? [];
    if (filters.some((filter) => IMAGES.has(filter))) continue;
    if (filters.length > 1 || (filters[0] ?? FLATE) !== FLATE)
      throw new RangeError('A stream of the PDF cannot be read.');
    const content = filters.length > 0 ? inflateSync(raw, { maxOutputLength: Math.max(1, room.bytes) }) : raw;
    texts.push(shownText(taken(content, room).toString('latin1')));
  }
  return texts;
}

/** A text of a PDF, which may have brackets in itself. */
const TEXT = String.raw`\((?:\\[\s\S]|[^\\()]|\((?:\\[\s\S]|[^\\()])*\))*\)`;
/** Operators that show one text or a list of them. No two alternatives begin with the same character, so each text is read once. */
const SHOWN = new RegExp(
  String.raw`\[((?:${TEXT}|[^\][()\\])*)\]\s*TJ|(${TEXT})\s*(?:Tj|'|")|<([\da-fA-F\s]*)>\s*Tj`,
  'g',
);
const PARTS = new RegExp(String.raw`(${TEXT})|<([\da-fA-F\s]*)>`, 'g');

/** Returns the texts that the operators of a page show, each on a line. The parts of one operator are one text. */
function shownText(content: string): string {
  const lines = Array.from(content.matchAll(SHOWN), ([all, list]) =>
    Array.from((list ?? all).matchAll(PARTS), ([, text, hex = '']) =>
      text === undefined
        ? Buffer.from(hex.replaceAll(/\s/g, ''), 'hex').toString('latin1')
        : unescaped(text.slice(1, -1)),
    ).join(''),
  );
  return lines.join('\n');
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(\d{3}|.)/gs, (_, code: string) =>
    /\d/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : code,
  );
}
