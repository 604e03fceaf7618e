import { setImmediate as nextTurn } from 'node:timers/promises';
import { PII_TYPES } from '../../detection/detector.ts';
import { readBytes } from '../../encodings/charset.ts';
import { type Leaf, visitSteps } from '../../json-walk.ts';
import { inSlices } from '../../slices.ts';
import type { Found, Look } from '../encoded-values.ts';
import type { FoundAt } from '../redact.ts';
import { type Kind, kindOf, type Part, partsOf, type Room } from './archive.ts';
import { pdfTexts, sheetsOf, textOfMarkup } from './documents.ts';

/** The first characters of base64 of ZIP, GZIP, PDF, ZLIB, and of content that is not opened. */
const BASE64 = 'UEsDB|H4sI|JVBERi0|eJ[wxyz0-9]|eNo|eAE|eF4|Qlpo[MNO].FBWSZT|[/_]Td6WFo|N3q8r|UmFyIR|KLUv|0M8R4K';
/** The same in hexadecimal. */
const HEXADECIMAL =
  '504b0304|1f8b08|255044462d|78(?:01|5e|9c|da)|425a683[1-9]3141|fd377a585a|377abcaf|52617221|28b52ffd|d0cf11e0';
/** Base64 and hexadecimal of such content, with its lines. */
const RUNS = new RegExp(
  String.raw`(?:(?<![A-Za-z\d+/_-])(?:${BASE64})[A-Za-z\d+/_-]{4,}(?:(?:\r?\n|(?:\\r)?\\n)[A-Za-z\d+/_-]+)*={0,2}|(?<![\da-f])(?:${HEXADECIMAL})(?:[\da-f]{2}){6,}(?![\da-f]))`,
  'gi',
);
const BASE64_START = new RegExp(`^(?:${BASE64})`);
const HEX = /^[\da-f]+$/i;
const LINE_BREAKS = /\s+|(?:\\r)?\\n/g;
/** Content that is searched in one container: bytes after it was inflated, and files. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_PARTS = 2_000;
const MAX_DEPTH = 4;
const MAX_RUNS = 64;
/** The type of content that cannot be read: it may have any value. */
const UNREAD = 'SECRET';
// biome-ignore lint/suspicious/noControlCharactersInRegex: binary data has them
const NOT_PRINTABLE = /[\0-\x08\x0b-\x1f\x7f-\x9f]+/g;

/**
 * Returns the findings of compressed content and PDF in the texts of a value. Each run with a value becomes one placeholder. Its
 * type is the first type in `PII_TYPES` that its values have. Content that is encrypted, damaged, nested too deep or too large is a secret.
 */
export async function compressedFindings(value: unknown, look: Look): Promise<FoundAt[]> {
  const leaves: { readonly leaf: number; readonly value: string }[] = [];
  let count = 0;
  const read = (leaf: Leaf) => {
    const at = count++;
    if (typeof leaf === 'string' && mayHaveContainer(leaf)) leaves.push({ leaf: at, value: leaf });
  };
  await inSlices(visitSteps(value, { leaf: read }));
  const found: FoundAt[] = [];
  for (const { leaf, value: text } of leaves) {
    const spans: Found[] = [];
    for (const { 0: run, index } of text.matchAll(RUNS)) {
      const type = spans.length < MAX_RUNS ? await typeOfRun(run, look) : UNREAD;
      if (type !== undefined) spans.push({ start: index, end: index + run.length, type });
    }
    if (spans.length > 0) found.push({ leaf, value: text, spans });
  }
  return found;
}

function mayHaveContainer(text: string): boolean {
  return text.length >= 20 && text.search(RUNS) >= 0;
}

/** Returns whether base64 has content that is opened here, and not kept as binary content. */
export function isContainer(bytes: Buffer): boolean {
  return kindOf(bytes) !== undefined;
}

/** Returns findings in the order of their leaves. The spans of one leaf are together: overlapping ones become one later. */
export function withFindings(findings: readonly FoundAt[], more: readonly FoundAt[]): readonly FoundAt[] {
  if (more.length === 0) return findings;
  const own = new Map(more.map((one) => [one.leaf, one]));
  const merged = findings.map((finding) => {
    const one = finding.inKey ? undefined : own.get(finding.leaf);
    if (one === undefined) return finding;
    own.delete(finding.leaf);
    // A run is a finding as a whole: spans in it do not count.
    const rest = finding.spans.filter(({ start, end }) => !one.spans.some((run) => start < run.end && end > run.start));
    return { ...finding, spans: [...one.spans, ...rest].sort((a, b) => a.start - b.start) };
  });
  return [...merged, ...own.values()].sort((a, b) => a.leaf - b.leaf);
}

async function typeOfRun(run: string, look: Look): Promise<string | undefined> {
  const isHex = !BASE64_START.test(run) && HEX.test(run);
  const bytes = isHex ? Buffer.from(run, 'hex') : Buffer.from(run.replaceAll(LINE_BREAKS, ''), 'base64');
  const kind = kindOf(bytes);
  if (kind === undefined) return undefined;
  const types = new Set<string>();
  try {
    await search({ name: '', bytes }, kind, { look, types, room: { bytes: MAX_BYTES, parts: MAX_PARTS } }, 1);
  } catch (error) {
    // Two bytes that look like those of ZLIB are no proof of it.
    if (!isUnreadable(error)) throw error;
    return kind === 'zlib' ? undefined : UNREAD;
  }
  return [...PII_TYPES].find((type) => types.has(type)) ?? [...types][0];
}

/** Checks for an error of the content: it is damaged, encrypted or too large. */
function isUnreadable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return error instanceof RangeError || /^(?:Z_|ERR_(?:BUFFER_TOO_LARGE|OUT_OF_RANGE))/.test(code);
}

interface Search {
  readonly look: Look;
  readonly types: Set<string>;
  readonly room: Room;
}

async function search(part: Part, kind: Kind, searching: Search, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw new RangeError('The content is nested too deep.');
  const { look, types, room } = searching;
  const add = async (text: string) => {
    for (const { type } of text === '' ? [] : await look(text)) types.add(type);
    await nextTurn();
  };
  if (kind === 'pdf') {
    for (const text of pdfTexts(part.bytes, room)) await add(text.replaceAll(NOT_PRINTABLE, '\n'));
    return;
  }
  const parts = partsOf(part.bytes, kind, room);
  for (const sheet of sheetsOf(parts)) await add(sheet);
  for (const { name, bytes } of parts) {
    // An extension would be the end of an e-mail address.
    await add(name.replaceAll(/[/_]/g, ' ').replace(/\.\w{1,5}$/, ''));
    const inner = kindOf(bytes);
    if (inner !== undefined) {
      await search({ name, bytes }, inner, searching, depth + 1);
      continue;
    }
    const read = readBytes(bytes);
    const text = read?.text ?? bytes.toString('latin1').replaceAll(NOT_PRINTABLE, '\n');
    await add(/\.(?:xml|x?html?|rels)$/i.test(name) || text.startsWith('<?xml') ? textOfMarkup(text, '\n') : text);
  }
}
