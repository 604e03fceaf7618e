import { isUtf8 } from 'node:buffer';

/** A text that is written in place of a placeholder. */
export interface Written {
  readonly text: string;
  /** Set for a JSON number, which is written without quotes. */
  readonly isNumber: boolean;
}

/** Returns the text for the placeholder with a name; undefined if it stays. */
export type TextFor = (name: string) => Written | undefined;

const NAMES = /\[([A-Z][A-Z0-9_]{1,23}_\d{1,9})\]/g;
/** A placeholder with the quotes of a JSON text around it, or alone. Programs may have changed its case. */
const QUOTED = /(\\*")\[([A-Z][A-Z0-9_]{1,23}_\d{1,9})\]\1|\[([A-Z][A-Z0-9_]{1,23}_\d{1,9})\]/gi;
const BASE64 = /[A-Za-z0-9+/]{12,}={0,2}/g;
const PERCENT = /%5B([A-Z][A-Z0-9_]{1,23}_\d{1,9})%5D/gi;

/** Returns the names of the placeholders in a text, in their exact form. */
export function namesIn(text: string): Set<string> {
  const names = new Set<string>();
  if (text.includes('[')) for (const [, name = ''] of text.matchAll(NAMES)) names.add(name);
  return names;
}

/** Writes texts in place of placeholders in a text or JSON text. The texts have no character that JSON escapes. */
export function writeTexts(text: string, textFor: TextFor): string {
  return text.replace(QUOTED, (whole, quote?: string, quoted?: string, plain?: string) => {
    const written = textFor((quoted ?? plain ?? '').toUpperCase());
    if (written === undefined) return whole;
    return quote === undefined || written.isNumber ? written.text : `${quote}${written.text}${quote}`;
  });
}

/** Writes texts as {@link writeTexts} does, also inside of base64 and of percent-encoded text. */
export function writeEncodedTexts(text: string, textFor: TextFor): string {
  const plain = writeTexts(text, textFor);
  const inBase64 = plain.replace(BASE64, (run) => {
    const bytes = Buffer.from(run, 'base64');
    if (!bytes.includes('[') || !isUtf8(bytes)) return run;
    const before = bytes.toString();
    const after = writeTexts(before, textFor);
    return after === before ? run : Buffer.from(after).toString('base64');
  });
  return inBase64.replace(PERCENT, (run, name: string) => {
    const written = textFor(name.toUpperCase());
    return written === undefined ? run : encodeURIComponent(written.text);
  });
}
