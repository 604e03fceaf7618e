import { isIPv6 } from 'node:net';

/**
 * Returns the canonical text of a value. Values of a type with the same canonical text share a placeholder. The case of an
 * e-mail domain does not count, that of the local part does. Numbers are equal if their digits are. IBANs and network
 * addresses are equal without case and separators. All other texts, and malformed ones, are equal if all characters are.
 */
export function canonicalOf(type: string, text: string): string {
  const rule = Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  return rule?.(text.normalize('NFKC')) ?? text;
}

const NOT_PLAIN = /[^\p{L}\p{N}]/gu;
/** Stands in the canonical text of a transformed value before its text, and before the plain form of its original. No value has it. */
const TRANSFORMED = '\u0001';

/** Returns the letters and digits of a text without case and accents. The two forms of the Greek letter sigma are one. */
export function plainForm(text: string): string {
  return text.normalize('NFKD').toLowerCase().replaceAll(NOT_PLAIN, '').replaceAll('\u03C2', '\u03C3');
}

/** Returns the canonical text of a value that was computed from another one. Spellings of one original have the same. */
export function transformedCanonical(text: string, original: string): string {
  return `${TRANSFORMED}${text}${TRANSFORMED}${plainOriginal(original)}`;
}

/** Checks whether a value was computed from another one. */
export function isTransformed(canonical: string): boolean {
  return canonical.startsWith(TRANSFORMED);
}

/** Returns the plain form of a value; of a transformed one, that of its original. */
export function plainOriginal(canonical: string): string {
  return plainForm(canonical.slice(canonical.lastIndexOf(TRANSFORMED) + 1));
}

const RULES: Readonly<Record<string, (text: string) => string | undefined>> = {
  EMAIL(text) {
    const [, local, domain] = /^([^\s@]+@)([\p{L}\p{N}.-]+)$/u.exec(text) ?? [];
    return domain === undefined ? undefined : `${local}${domain.toLowerCase()}`;
  },
  PHONE(text) {
    const form = /^(\+?)([\d\s()./\u2010-\u2015-]{5,40}?)(?:\s*(?:ext\.?|extension|x|#)\s*(\d{1,8}))?$/i.exec(text);
    if (!form) return undefined;
    const [, plus, number = '', extension] = form;
    const all = digits(number);
    const international = !plus && all.startsWith('00') ? all.slice(2) : all;
    return extension ? `${international}x${extension}` : international;
  },
  SSN: (text) => separated(text),
  CREDIT_CARD: (text) => separated(text),
  IBAN: (text) =>
    /^[A-Z]{2}\d{2}[A-Z0-9\s-]{8,50}$/i.test(text) ? text.replaceAll(/[\s-]/g, '').toUpperCase() : undefined,
  IP: (text) => (isIPv6(text) && !text.includes('%') ? new URL(`http://[${text}]`).hostname : undefined),
  MAC: (text) =>
    /^[0-9A-F]{2}([:.-]?[0-9A-F]{2}){5}$/i.test(text) ? text.replaceAll(/[:.-]/g, '').toLowerCase() : undefined,
};

function digits(text: string): string {
  return text.replaceAll(/\D/g, '');
}

/** Returns the digits of a number with separators. */
function separated(text: string): string | undefined {
  return /^\d[\d\s.-]{2,30}\d$/.test(text) ? digits(text) : undefined;
}
