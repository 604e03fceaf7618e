/** The text is no Python, or has syntax that this parser does not know. */
export class UnknownSyntax extends Error {}

/** A token of a Python source. */
export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'operator' | 'newline' | 'indent' | 'dedent' | 'end';
  readonly text: string;
  /** Of a string: the text that it always is, and the tokens of each field of a formatted one. */
  readonly value?: string | undefined;
  readonly fields?: readonly (readonly Token[])[];
  readonly isBytes?: boolean;
}

const MAX_NESTING = 40;
const NAME = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
const NUMBER =
  /(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)/y;
const STRING = /([rRbBuUfF]{0,2})("""|'''|"|')/y;
const OPERATOR =
  /\*\*=|\/\/=|>>=|<<=|\.\.\.|!=|->|:=|\*\*|\/\/|>>|<<|<=|>=|==|[-+*/%@&|^]=|[-+*/%@&|^~<>()[\]{},:.;=]/y;

const ESCAPE =
  /\\(?:(\n)|([\\'"])|([abfnrtv])|([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(N\{[^}]*\}))/g;
const ESCAPED_LETTERS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Returns the tokens of a Python source. Raises {@link UnknownSyntax}. */
export function tokensOf(source: string): readonly Token[] {
  // CPython reads these characters in ways of its own.
  if (/[\f\0]|\r(?!\n)/.test(source)) throw new UnknownSyntax();
  const text = source.replaceAll('\r\n', '\n').replace(/^\uFEFF/, '');
  if (/^ +\t/m.test(text) || (/^\t/m.test(text) && /^\t* /m.test(text))) throw new UnknownSyntax();
  return new Tokenizer(text).all();
}

class Tokenizer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  readonly #indents: number[] = [0];
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  all(): readonly Token[] {
    for (let isStart = true; this.#at < this.#source.length; ) {
      if (isStart && this.#depth === 0) this.#indentation();
      isStart = this.#next(this.#tokens);
    }
    if (this.#depth > 0) throw new UnknownSyntax();
    if (this.#tokens.at(-1)?.kind !== 'newline') this.#add('newline', '');
    for (let left = this.#indents.length - 1; left > 0; left--) this.#add('dedent', '');
    this.#add('end', '');
    return this.#tokens;
  }

  #add(kind: Token['kind'], text: string): void {
    this.#tokens.push({ kind, text });
  }

  /** Reads the blanks before a line. A line without code has no indentation. */
  #indentation(): void {
    const blanks = this.#match(/[ \t]*/y) ?? '';
    if (/[\n#]/.test(this.#source[this.#at] ?? '\n')) return;
    const last = () => this.#indents.at(-1) ?? 0;
    if (blanks.length > last()) {
      this.#indents.push(blanks.length);
      this.#add('indent', '');
    }
    while (blanks.length < last()) {
      this.#indents.pop();
      this.#add('dedent', '');
    }
    if (blanks.length !== last()) throw new UnknownSyntax();
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** Reads one token. Returns whether a line starts after it. */
  #next(tokens: Token[], nesting = 0): boolean {
    if (this.#match(/(?:[ \t]+|\\\n|#[^\n]*)+/y) !== undefined && this.#at >= this.#source.length) return false;
    if (this.#source[this.#at] === '\n') {
      this.#at++;
      if (this.#depth > 0) return false;
      if (tokens.length > 0 && !/^(?:newline|indent|dedent)$/.test(tokens.at(-1)?.kind ?? '')) this.#add('newline', '');
      return true;
    }
    STRING.lastIndex = this.#at;
    const string = STRING.exec(this.#source);
    if (string) tokens.push(this.#string(string, nesting));
    else {
      // Python compares names in this form.
      const name = this.#match(NAME)?.normalize('NFKC');
      const number = name === undefined ? this.#match(NUMBER) : undefined;
      const operator = name === undefined && number === undefined ? this.#match(OPERATOR) : undefined;
      const text = name ?? number ?? operator;
      if (text === undefined) throw new UnknownSyntax();
      if (operator !== undefined && '([{'.includes(operator)) this.#depth++;
      else if (operator !== undefined && ')]}'.includes(operator) && --this.#depth < 0) throw new UnknownSyntax();
      tokens.push({ kind: name !== undefined ? 'name' : number !== undefined ? 'number' : 'operator', text });
    }
    return false;
  }

  #string([opening, letters = '', quote = '']: RegExpExecArray, nesting: number): Token {
    const prefix = letters.toLowerCase();
    if (!/^(?:|r|b|u|f|br|rb|fr|rf)$/.test(prefix) || nesting > MAX_NESTING) throw new UnknownSyntax();
    this.#at += opening.length;
    const isBytes = prefix.includes('b');
    const isRaw = prefix.includes('r');
    if (prefix.includes('f')) {
      const fields: Token[][] = [];
      const body = this.#formatted(quote, isRaw, fields, nesting);
      const value = fields.length > 0 ? undefined : isRaw ? body : unescaped(body);
      return { kind: 'string', text: prefix, value, fields };
    }
    const start = this.#at;
    for (; !this.#source.startsWith(quote, this.#at); this.#at++) {
      if (this.#at >= this.#source.length || (quote.length === 1 && this.#source[this.#at] === '\n'))
        throw new UnknownSyntax();
      if (this.#source[this.#at] === '\\') this.#at++;
    }
    const body = this.#source.slice(start, this.#at);
    this.#at += quote.length;
    return { kind: 'string', text: prefix, value: isRaw ? body : unescaped(body), isBytes };
  }

  /** Reads a formatted text up to its quote, or a format up to its brace. Returns its constant part. */
  #formatted(end: string, isRaw: boolean, fields: Token[][], nesting: number): string {
    let body = '';
    for (;;) {
      const character = this.#source[this.#at];
      if (character === undefined || (character === '\n' && end.length === 1 && end !== '}')) throw new UnknownSyntax();
      const isDouble = end !== '}' && '{}'.includes(character) && this.#source[this.#at + 1] === character;
      if (this.#source.startsWith(end, this.#at)) {
        this.#at += end === '}' ? 0 : end.length;
        return body;
      }
      if (character === '{' && !isDouble) {
        this.#at++;
        this.#field(fields, isRaw, nesting + 1);
        continue;
      }
      const isEscape = character === '\\' && !isRaw && !/[{}]/.test(this.#source[this.#at + 1] ?? '');
      const step = isEscape ? (this.#match(/\\N\{[^}]*\}/y) ?? this.#take(2)) : this.#take(isDouble ? 2 : 1);
      body += isDouble ? character : step;
      if (nesting > MAX_NESTING) throw new UnknownSyntax();
    }
  }

  #take(count: number): string {
    this.#at += count;
    return this.#source.slice(this.#at - count, this.#at);
  }

  /** Reads a field: an expression, then perhaps `=`, a conversion and a format, which may have fields. */
  #field(fields: Token[][], isRaw: boolean, nesting: number): void {
    if (nesting > MAX_NESTING) throw new UnknownSyntax();
    const tokens: Token[] = [];
    const around = this.#depth;
    this.#depth = around + 1;
    for (;;) {
      this.#match(/(?:\s|#[^\n]*\n)+/y);
      if (this.#depth === around + 1 && this.#match(/=?\s*(?:![rsa]\s*)?(?=[:}])(?!=)/y) !== undefined) break;
      if (this.#at >= this.#source.length) throw new UnknownSyntax();
      this.#next(tokens, nesting);
    }
    this.#depth = around;
    fields.push([...tokens, { kind: 'newline', text: '' }, { kind: 'end', text: '' }]);
    if (this.#match(/:/y) !== undefined) this.#formatted('}', isRaw, fields, nesting);
    if (this.#match(/\}/y) === undefined) throw new UnknownSyntax();
  }
}

/** Returns the text of a Python string literal. Undefined if it has a character by its name. */
function unescaped(body: string): string | undefined {
  let isKnown = true;
  const text = body.replaceAll(ESCAPE, (_all, line, plain, letter, octal, byte, unit, long, named) => {
    if (line !== undefined) return '';
    if (plain !== undefined) return plain;
    if (letter !== undefined) return ESCAPED_LETTERS[letter] ?? '';
    if (named !== undefined) isKnown = false;
    const code = octal === undefined ? Number.parseInt(byte ?? unit ?? long ?? '0', 16) : Number.parseInt(octal, 8);
    if (code > 0x10ffff) isKnown = false;
    return isKnown ? String.fromCodePoint(code) : '';
  });
  return isKnown ? text : undefined;
}
