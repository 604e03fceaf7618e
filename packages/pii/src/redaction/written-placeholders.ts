import { BASE64_CHARACTERS, nextRun, runEnd } from '../encodings/runs.ts';

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
/** The shortest base64 that is searched for placeholders. */
const MIN_BASE64 = 12;
/** A line break of a text or of JSON text. */
const LINE_BREAK = /\r?\n|(?:\\r)?\\n/y;
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
  for (let next = 0; ; ) {
    const found = nextRun(text, next, BASE64_CHARACTERS, MIN_BASE64);
    if (found === undefined) return names;
    next = endOfLines(text, found.end);
    const run = text.slice(found.start, next);
    // Decoding ignores line breaks, but not those that JSON escapes.
    const bytes = Buffer.from(run.includes('\\') ? run.replaceAll(ESCAPED_LINE_BREAKS, '') : run, 'base64');
    if (bytes.includes('[')) for (const name of namesIn(bytes.toString('latin1'))) names.add(name);
  }
}

/** Returns the end of base64 or base64url whose first line ends at an offset. */
function endOfLines(text: string, firstEnd: number): number {
  for (let end = firstEnd; ; ) {
    LINE_BREAK.lastIndex = end;
    if (!LINE_BREAK.test(text)) return end;
    const start = LINE_BREAK.lastIndex;
    const next = runEnd(text, start, BASE64_CHARACTERS);
    if (next === start) return end;
    end = next;
  }
}
