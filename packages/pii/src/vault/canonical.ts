import { isIPv6 } from 'node:net';

/**
 * What makes two spellings the same value: values of a type with the same canonical text share a placeholder. E-mail
 * addresses differ in their local part as it is written, but not in the case of their domain; numbers by their digits;
 * IBANs and addresses of machines not by case and separators. Everything else, and what is not formed as its type is,
 * differs by every character.
 */
export function canonicalOf(type: string, text: string): string {
  const rule = Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  return rule?.(text.normalize('NFKC')) ?? text;
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

/** Groups of digits, as they are. */
function separated(text: string): string | undefined {
  return /^\d[\d\s.-]{2,30}\d$/.test(text) ? digits(text) : undefined;
}
