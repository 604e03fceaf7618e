import { isIP } from 'node:net';

/** Digits that a mask leaves at the end. */
const SHOWN_DIGITS = 4;
/** Types that show nothing at all. */
const HIDDEN: ReadonlySet<string> = new Set(['SECRET', 'SSN', 'NATIONAL_ID', 'PASSPORT', 'DATE_OF_BIRTH']);
const DIGITS_AT_THE_END: ReadonlySet<string> = new Set(['PHONE', 'CREDIT_CARD', 'IBAN']);

/**
 * A form of a value that people recognise and nobody can use: `a***@example.com`, `********4242`, `J*** S***`. Its length
 * tells nothing where the length is a secret.
 */
export function maskOf(type: string, text: string): string {
  if (HIDDEN.has(type)) return '********';
  if (type === 'EMAIL') {
    const at = text.lastIndexOf('@');
    return at < 1 ? '***' : `${[...text][0]}***${text.slice(at)}`;
  }
  if (DIGITS_AT_THE_END.has(type)) return `********${lastFour(text) ?? ''}`;
  if (type === 'IP') {
    // What stands encoded in the text has no first part that could be shown.
    const form = isIP(text);
    if (form === 0) return '***';
    return form === 6 ? `${text.split(':')[0]}:***` : `${text.split('.')[0]}.***.***.***`;
  }
  return text
    .split(/\s+/)
    .map((word) => `${[...word][0] ?? ''}***`)
    .join(' ');
}

/** The last four digits; nothing when they would be most of the value. */
export function lastFour(text: string): string | undefined {
  const digits = text.replaceAll(/\D/g, '');
  return digits.length >= 2 * SHOWN_DIGITS ? digits.slice(-SHOWN_DIGITS) : undefined;
}
