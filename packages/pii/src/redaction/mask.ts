import { isIP } from 'node:net';

/** Digits that a mask shows at the end. */
const SHOWN_DIGITS = 4;
/** Types whose masks show nothing. */
const HIDDEN: ReadonlySet<string> = new Set(['SECRET', 'SSN', 'NATIONAL_ID', 'PASSPORT', 'DATE_OF_BIRTH']);
const DIGITS_AT_THE_END: ReadonlySet<string> = new Set(['PHONE', 'CREDIT_CARD', 'IBAN']);

/**
 * Returns a masked form that people recognise and nobody can use: `a***@example.com`, `********4242`, `J*** S***`. The
 * masks of secrets have a fixed length.
 */
export function maskOf(type: string, text: string): string {
  if (HIDDEN.has(type)) return '********';
  if (type === 'EMAIL') {
    const at = text.lastIndexOf('@');
    return at < 1 ? '***' : `${[...text][0]}***${text.slice(at)}`;
  }
  if (DIGITS_AT_THE_END.has(type)) return `********${lastFour(text) ?? ''}`;
  if (type === 'IP') {
    // An encoded address has no first part to show.
    const form = isIP(text);
    if (form === 0) return '***';
    return form === 6 ? `${text.split(':')[0]}:***` : `${text.split('.')[0]}.***.***.***`;
  }
  return text
    .split(/\s+/)
    .map((word) => `${[...word][0] ?? ''}***`)
    .join(' ');
}

/** Returns the last four digits, or undefined if they would be most of the value. */
export function lastFour(text: string): string | undefined {
  const digits = text.replaceAll(/\D/g, '');
  return digits.length >= 2 * SHOWN_DIGITS ? digits.slice(-SHOWN_DIGITS) : undefined;
}
