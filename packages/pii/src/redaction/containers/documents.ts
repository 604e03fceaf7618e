import { inflateSync } from 'node:zlib';
import { type Part, type Room, taken } from './archive.ts';

const SHEET = /^xl\/worksheets\/[^/]+\.xml$/;
const SHARED = 'xl/sharedStrings.xml';
const STREAM = Buffer.from('stream');
const END_STREAM = Buffer.from('endstream');
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Fonts whose codes are not those of characters. */
const OWN_CODES = /\/(?:Identity-[HV]|ToUnicode|Encrypt|ObjStm)\b/;

/** Returns the rows of the sheets of a workbook as CSV, one text for each sheet. */
export function sheetsOf(parts: readonly Part[]): string[] {
  const shared = parts.find(({ name }) => name === SHARED)?.bytes.toString() ?? '';
  const texts = Array.from(shared.matchAll(/<si\b[^>]*>([\s\S]*?)<\/si>/g), ([, item = '']) => textOfMarkup(item, ''));
  return parts
    .filter(({ name }) => SHEET.test(name))
    .map(({ bytes }) =>
      Array.from(bytes.toString().matchAll(/<row\b[^>]*>([\s\S]*?)<\/row>/g), ([, row = '']) =>
        Array.from(row.matchAll(/<c\b([^>]*)>([\s\S]*?)<\/c>/g), ([, attributes = '', cell = '']) => {
          const text = textOfMarkup(cell, '');
          return quoted(/\bt="s"/.test(attributes) ? (texts[Number(text)] ?? '') : text);
        }).join(','),
      ).join('\n'),
    );
}

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Returns the text of XML or HTML, with `gap` in place of each tag. */
export function textOfMarkup(markup: string, gap: string): string {
  // The parts of a word that a text processor has cut are one word.
  const plain = markup.replaceAll(/<\/w:t>(?:(?!<\/w:p>)<[^>]*>)*<w:t\b[^>]*>/g, '').replaceAll(/<[^>]*>/g, gap);
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
    const header = source.slice(source.lastIndexOf('obj', at), at);
    const raw = bytes.subarray(from, end);
    at = end + END_STREAM.length;
    if (/\/(?:DCTDecode|JPXDecode|CCITTFaxDecode)\b/.test(header)) continue;
    const content = /\/FlateDecode\b/.test(header)
      ? inflateSync(raw, { maxOutputLength: Math.max(1, room.bytes) })
      : raw;
    texts.push(shownText(taken(content, room).toString('latin1')));
  }
  return texts;
}

/** Returns the texts that the operators of a page show, each on a line. The parts of one operator are one text. */
function shownText(content: string): string {
  const lines: string[] = [];
  for (const [, list, only, hex] of content.matchAll(
    /\[((?:\\.|\((?:\\.|[^\\()])*\)|[^\]])*)\]\s*TJ|\(((?:\\.|[^\\()])*)\)\s*(?:Tj|'|")|<([\da-fA-F\s]*)>\s*Tj/g,
  )) {
    if (hex !== undefined) lines.push(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex').toString('latin1'));
    else if (only !== undefined) lines.push(unescaped(only));
    else
      lines.push(
        Array.from((list ?? '').matchAll(/\(((?:\\.|[^\\()])*)\)/g), ([, part = '']) => unescaped(part)).join(''),
      );
  }
  return lines.join('\n');
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(\d{3}|.)/gs, (_, code: string) =>
    /\d/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : code,
  );
}
