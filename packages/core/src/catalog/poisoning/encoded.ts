const BASE64 = /[A-Za-z0-9+/_-]{20,}={0,2}/g;
const HEX = /(?:[0-9a-f]{2}[ :,-]?){12,}/gi;
const ESCAPES = /\\x([0-9a-f]{2})|\\u\{?([0-9a-f]{2,6})\}?|%([0-9a-f]{2})|&#(\d{2,6});|&#x([0-9a-f]{2,6});/gi;
const SPACED = /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}][ ._*|-]{1,3}){6,}[\p{L}\p{N}](?![\p{L}\p{N}])/gu;
/** Frequent words of English in the alphabet moved by 13, and backwards. A text without them is not decoded. */
const ROT13_WORDS = /\b(?:gur|naq|lbh|vtaber|erng|frag|fraq|cnffjbeq|svyr|gbby|hfre)\b/i;
const REVERSED_WORDS = /\b(?:eht|dna|uoy|erongi|daer|dnes|drowssap|elif|loot|resu)\b/i;
const LEET: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' };
const LEET_WORD =
  /(?<![a-z0-9@$])(?=[a-z0-9@$]{0,30}[a-z])(?=[a-z0-9@$]{0,30}[013457@$])[a-z0-9@$]{3,30}(?![a-z0-9@$])/gi;
const MAX_DECODED = 65_536;
/** Share of letters and spaces in decoded text. */
const TEXT_SHARE = 0.8;

/** A text that another one has in an encoding. */
export interface Decoded {
  readonly text: string;
  readonly start: number;
}

/** Returns the texts that a text has in base64, hexadecimal, escapes, spaced letters, moved alphabets and digits for letters. */
export function decodedTexts(text: string): Decoded[] {
  const found: Decoded[] = [];
  const add = (decoded: string, start: number): void => {
    if (isText(decoded)) found.push({ text: decoded, start });
  };
  for (const { 0: match, index } of text.matchAll(BASE64)) {
    add(Buffer.from(match.slice(0, MAX_DECODED), 'base64').toString('utf8'), index);
  }
  for (const { 0: match, index } of text.matchAll(HEX)) {
    add(Buffer.from(match.slice(0, MAX_DECODED).replace(/[ :,-]/g, ''), 'hex').toString('utf8'), index);
  }
  const first = text.search(ESCAPES);
  if (first >= 0) {
    const unescaped = text.replace(ESCAPES, (_match, x, u, percent, decimal, entity) =>
      characterOf(decimal === undefined ? Number.parseInt(x ?? u ?? percent ?? entity, 16) : Number(decimal)),
    );
    add(unescaped, first);
  }
  for (const { 0: match, index } of text.matchAll(SPACED)) {
    const words = match.split(/[ ._*|-]{2,3}/);
    add(words.map((word) => word.replace(/[ ._*|-]/g, '')).join(' '), index);
  }
  if (ROT13_WORDS.test(text)) add(text.replace(/[a-z]/gi, rot13), 0);
  if (REVERSED_WORDS.test(text)) add([...text].reverse().join(''), 0);
  const leet = text.search(LEET_WORD);
  if (leet >= 0)
    add(
      text.replace(LEET_WORD, (word) => word.replace(/[013457@$]/g, (digit) => LEET[digit] ?? digit)),
      leet,
    );
  return found;
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

function rot13(letter: string): string {
  const base = letter <= 'Z' ? 65 : 97;
  return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
}

function isText(text: string): boolean {
  const letters = text.match(/[\p{L}\p{N} \n.,:;/_-]/gu)?.length ?? 0;
  return letters >= 8 && letters / text.length >= TEXT_SHARE;
}
