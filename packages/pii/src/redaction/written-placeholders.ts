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
/**
 * Base64 or base64url, with line breaks of a text or JSON text. `{12,}` in place of `{12}` and `*` fails for runs of millions: each repetition
 * takes memory of the expression's stack.
 */
const BASE64 = /[A-Za-z0-9+/_-]{12}[A-Za-z0-9+/_-]*(?:(?:\r?\n|(?:\\r)?\\n)[A-Za-z0-9+/_-]+)*/g;
const ESCAPED_LINE_BREAKS = /(?:\\r)?\\n/g;

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

/** Returns the names of the placeholders in base64 of a text. */
export function encodedNamesIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const [run] of text.matchAll(BASE64)) {
    // Decoding ignores line breaks, but not those that JSON escapes.
    const bytes = Buffer.from(run.includes('\\') ? run.replaceAll(ESCAPED_LINE_BREAKS, '') : run, 'base64');
    if (bytes.includes('[')) for (const name of namesIn(bytes.toString('latin1'))) names.add(name);
  }
  return names;
}
