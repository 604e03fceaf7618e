import { isOnlyPlaceholder } from '@toolwright/pii/internal';

/** A format that is checked: the texts that certainly do not have it, and what to write. */
interface Format {
  readonly isWrong: (text: string) => boolean;
  readonly expected: string;
}

const HAS_DATE = /\d{4}-?\d{2}-?\d{2}|^\d{9,}$/;

/** Servers often accept more than a format allows, so only texts without its main part are wrong: `tomorrow` is no date. */
const FORMATS: Readonly<Record<string, Format>> = {
  date: { isWrong: (text) => !HAS_DATE.test(text), expected: 'a date such as "2026-01-31"' },
  'date-time': { isWrong: (text) => !HAS_DATE.test(text), expected: 'a date-time such as "2026-01-31T09:00:00Z"' },
  email: { isWrong: (text) => !text.includes('@'), expected: 'an email address' },
};

/** Returns a description of the texts of a format; undefined for a format that is not checked. */
export function expectedText(format: string | undefined): string | undefined {
  return format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format]?.expected : undefined;
}

/** Returns the expected text for a value that certainly lacks the format of its schema; undefined for any other value. */
export function formatProblem(format: string | undefined, value: unknown): string | undefined {
  if (format === undefined || typeof value !== 'string' || value === '') return undefined;
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  // A placeholder stands for a value that is not known here.
  if (known === undefined || isOnlyPlaceholder(value)) return undefined;
  return known.isWrong(value) ? known.expected : undefined;
}
