/** A logical line of a Python program: brackets and strings may span several lines of text. */
export interface LogicalLine {
  readonly start: number;
  /** End of its text, without the line break. */
  readonly end: number;
  /** Its text, with the content of strings and comments replaced by blanks. */
  readonly code: string;
  /** Number of leading blanks. */
  readonly indent: number;
}

const STRING_START = /^[A-Za-z]{0,2}("""|'''|"|')/;

/** Returns the logical lines of a Python source, without empty lines and comments. */
export function logicalLines(source: string): LogicalLine[] {
  const { code, breaks } = blanked(source);
  const lines: LogicalLine[] = [];
  let start = 0;
  for (const end of [...breaks, source.length]) {
    const text = code.slice(start, end);
    if (text.trim() !== '') {
      lines.push({ start, end, code: text, indent: text.length - text.trimStart().length });
    }
    start = end + 1;
  }
  return lines;
}

/** A text literal of a Python source. */
export interface PythonString {
  /** Its letters before the quote, in lower case: `f`, `rb`. */
  readonly prefix: string;
  /** The text between the quotes, as written. */
  readonly body: string;
}

/** Returns the text literals of a Python source. */
export function stringsOf(source: string): readonly PythonString[] {
  return blanked(source).strings;
}

/** Returns the offsets of lines that start inside of a string. Their indentation must not change. */
export function lineStartsInStrings(source: string): Set<number> {
  return new Set(blanked(source).inStrings);
}

/** Returns the parts of a text between commas, except commas in brackets. */
export function splitAtCommas(code: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < code.length; index++) {
    const character = code[index] ?? '';
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    else if (character === ',' && depth === 0) {
      parts.push(code.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, code.slice(start)];
}

interface BlankedSource {
  readonly code: string;
  readonly breaks: readonly number[];
  readonly inStrings: readonly number[];
  readonly strings: readonly PythonString[];
}

function blanked(source: string): BlankedSource {
  let code = '';
  let depth = 0;
  const breaks: number[] = [];
  const inStrings: number[] = [];
  const strings: PythonString[] = [];
  for (let index = 0; index < source.length; ) {
    const character = source[index] ?? '';
    const isWord = /\w/.test(source[index - 1] ?? '');
    const quote = isWord ? undefined : STRING_START.exec(source.slice(index, index + 5));
    const bare = /["']/.test(character) ? STRING_START.exec(source.slice(index, index + 5)) : undefined;
    const string = quote ?? bare;
    if (string) {
      const [opening, mark = ''] = string;
      const end = endOfString(source, index + opening.length, mark);
      const prefix = opening.slice(0, -mark.length).toLowerCase();
      strings.push({ prefix, body: source.slice(index + opening.length, end).replace(new RegExp(`${mark}$`), '') });
      for (let at = source.indexOf('\n', index); at >= 0 && at < end; at = source.indexOf('\n', at + 1)) {
        inStrings.push(at + 1);
      }
      code += `"${'_'.repeat(Math.max(0, end - index - 2))}"`.slice(0, end - index);
      index = end;
    } else if (character === '#') {
      const end = source.indexOf('\n', index) < 0 ? source.length : source.indexOf('\n', index);
      code += ' '.repeat(end - index);
      index = end;
    } else {
      if ('([{'.includes(character)) depth++;
      else if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
      else if (character === '\n' && depth === 0 && source[index - 1] !== '\\') breaks.push(index);
      code += character === '\n' ? ' ' : character;
      index++;
    }
  }
  return { code, breaks, inStrings, strings };
}

function endOfString(source: string, start: number, quote: string): number {
  for (let index = start; index < source.length; index++) {
    if (source[index] === '\\') index++;
    else if (source.startsWith(quote, index)) return index + quote.length;
    else if (source[index] === '\n' && quote.length === 1) return index;
  }
  return source.length;
}
