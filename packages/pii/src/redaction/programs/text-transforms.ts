import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { PiiError } from '../../errors.ts';

/** Computes a text from a text. Returns `null` if the text has no such form: a national phone number has no E.164 form. */
export type TextTransform = (text: string) => string | null | Promise<string | null>;

/** Longest text that `pad` writes. */
const MAX_PADDED = 1_000;
const MARKS = /\p{M}/gu;
/** Numbers with separators, and accounts. They are equal if their letters and digits are. */
const NUMBER = /^(?:\+?[\d\s()./\-\u2010-\u2015]{5,40}|[A-Za-z]{2}\d{2}[A-Za-z\d\s-]{8,50})$/;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const words = (text: string) => text.trim().split(/\s+/);
const withoutAccents = (text: string) => text.normalize('NFKD').replaceAll(MARKS, '');
const hash = (algorithm: string) => (text: string) => createHash(algorithm).update(text).digest('hex');

/** Transforms that keep the whole value. */
const WHOLE: Readonly<Record<string, TextTransform>> = {
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  title: (text) =>
    text.toLowerCase().replaceAll(/(?<![\p{L}\p{M}\p{N}'\u2019])\p{L}/gu, (letter) => letter.toUpperCase()),
  trim: (text) => text.trim(),
  compact: (text) => text.replaceAll(/\s+/g, ''),
  ascii: withoutAccents,
  digits: (text) => text.replaceAll(/\D/g, ''),
  slug: (text) =>
    withoutAccents(text)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, ''),
  key: keyForm,
  md5: hash('md5'),
  sha1: hash('sha1'),
  sha256: hash('sha256'),
  e164: (text) => e164(text, undefined),
  iso: isoDate,
};

/** Transforms that keep a part of the value. They are not for restricted types. */
const PARTS: Readonly<Record<string, TextTransform>> = {
  first: (text) => words(text)[0] ?? null,
  last: (text) => words(text).at(-1) ?? null,
  initials: (text) =>
    words(text)
      .map((word) => [...word][0] ?? '')
      .join('')
      .toUpperCase(),
  local: (text) => /^(.+)@[^@]+$/.exec(text)?.[1] ?? null,
  network: (text) => (isIPv4(text) ? text.replace(/\d+$/, '0/24') : null),
};

/** All names of transforms, as errors list them. */
const NAMES = [...Object.keys(WHOLE), ...Object.keys(PARTS), 'pad:<length>', 'e164:<country>'];

/** A transform, and whether a part of the value is enough for it. */
export interface NamedTransform {
  readonly apply: TextTransform;
  readonly isPart: boolean;
}

/** Returns a transform by its name: `lower`, `pad:40`, `e164:DE`. Raises `INVALID_ARGUMENTS` for another name. */
export function transformNamed(name: unknown): NamedTransform {
  const [, word = '', argument] = /^([a-z\d]+)(?::(\w+))?$/.exec(String(name)) ?? [];
  if (argument === undefined && Object.hasOwn(WHOLE, word)) return { apply: WHOLE[word] ?? keyForm, isPart: false };
  if (argument === undefined && Object.hasOwn(PARTS, word)) return { apply: PARTS[word] ?? keyForm, isPart: true };
  if (word === 'pad' && Number(argument) > 0 && Number(argument) <= MAX_PADDED) {
    return { apply: (text) => text.padEnd(Number(argument)), isPart: false };
  }
  if (word === 'e164' && /^[A-Z]{2}$/.test(argument ?? ''))
    return { apply: (text) => e164(text, argument), isPart: false };
  const message = `pii.transform does not support ${JSON.stringify(name) ?? 'undefined'}. Use ${NAMES.join(', ')}.`;
  throw new PiiError('INVALID_ARGUMENTS', message);
}

/** Returns a form that is equal for the usual spellings of a value: without case and outer blanks, numbers without separators. */
export function keyForm(text: string): string {
  const plain = text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
  return NUMBER.test(plain) ? plain.replaceAll(/[^\p{L}\p{N}]/gu, '').replace(/^00(?=\d{9})/, '') : plain;
}

async function e164(text: string, regionCode: string | undefined): Promise<string | null> {
  // Loading the rules of all countries takes 30 ms and 3 MB of memory.
  const { parsePhoneNumber } = await import('awesome-phonenumber');
  const international = text.trim().replace(/^00/, '+');
  const { number } = parsePhoneNumber(international, regionCode === undefined ? {} : { regionCode });
  return number?.e164 ?? null;
}

/** Returns a date as `1980-05-21`. Returns `null` for a text in which the day may be the month. */
export function isoDate(text: string): string | null {
  const plain = text.trim();
  const [, year, month, day] =
    /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?:T.*)?$/.exec(plain) ?? /^(\d{4})年(\d{1,2})月(\d{1,2})日$/.exec(plain) ?? [];
  if (year !== undefined) return written(year, month, day);
  const [, first = '', dot = '', second = '', last] = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(plain) ?? [];
  if (last !== undefined) {
    if (dot === '.' || Number(first) > 12) return written(last, second, first);
    return Number(second) > 12 ? written(last, first, second) : null;
  }
  const named = /^(?:(\d{1,2})\.? )?([a-z]{3})[a-z]*\.?(?: (\d{1,2}),?)? (\d{4})$/i.exec(plain);
  const at = MONTHS.indexOf((named?.[2] ?? '').toLowerCase());
  return named && at >= 0 ? written(named[4], String(at + 1), named[1] ?? named[3]) : null;
}

function written(year = '', month = '', day = ''): string | null {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) ? date : null;
}
