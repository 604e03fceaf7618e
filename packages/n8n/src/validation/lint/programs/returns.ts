/** Tokens that matter for scopes. Strings, templates and comments are one token each; a template may hold others. */
const TOKENS =
  /(?:\/\/|<!--)[^\n]*|\/\*|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|=>|[A-Za-z_$][\w$]*|\d[\w.]*|\S/g;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
/** Words before a slash that begins a regular expression. */
const BEFORE_REGEX = /^(?:[(,=:[!&|?{};+*%~^<>-]|=>|return|typeof|case|in|of)$/;
/** Words before parentheses whose block is no function. */
const CONTROLS = new Set(['if', 'for', 'while', 'switch', 'catch', 'with']);

/** Returns whether a JavaScript program returns a value outside of its inner functions. */
export function returnsInJavaScript(code: string): boolean {
  return ENDS_BY_THROW.test(code.trimEnd()) || !returnedTexts(code).next().done;
}

/** The last statement throws, so the program returns nothing on purpose. */
const ENDS_BY_THROW = /(?:^|[;}\n])[ \t]*throw\b[^\n}]*$/;

/**
 * Returns the text after each `return` of a JavaScript program outside of its inner functions. It reads tokens and no syntax, in
 * linear time: nothing runs.
 */
export function* returnedTexts(code: string): Generator<string> {
  const blocks: ('function' | 'block')[] = [];
  const parens: boolean[] = [];
  let inFunctions = 0;
  let before = ['', ''];
  let closedParen = false;
  for (const { token, end } of tokensOf(code)) {
    if (token === 'return' && inFunctions === 0 && before[0] !== '.') yield code.slice(end, end + MAX_RETURNED_CHARS);
    if (token === '(') parens.push(isOfFunction(before));
    else if (token === ')') closedParen = parens.pop() ?? false;
    else if (token === '{') {
      const isFunction = before[0] === '=>' || (before[0] === ')' && closedParen);
      blocks.push(isFunction ? 'function' : 'block');
      if (isFunction) inFunctions++;
    } else if (token === '}' && blocks.pop() === 'function') inFunctions--;
    before = [token, before[0] ?? ''];
  }
}

/** Returns the tokens of a JavaScript program without comments. A regular expression is one slash. */
function* tokensOf(code: string): Generator<{ readonly token: string; readonly end: number }> {
  let before = '';
  let at = 0;
  let isEndless = false;
  for (;;) {
    TOKENS.lastIndex = at;
    const found = TOKENS.exec(code);
    if (found === null) return;
    const [token] = found;
    at = TOKENS.lastIndex;
    if (token.startsWith('//') || token.startsWith('<!--')) continue;
    if (token === '/*') {
      const end = code.indexOf('*/', at);
      if (end < 0) return;
      at = end + 2;
      continue;
    }
    if (token.startsWith('`') && !isEndless) {
      const end = templateEnd(code, found.index);
      // Looking for the end of each of many templates without one would take quadratic time.
      if (end === undefined) isEndless = true;
      else at = end;
    }
    if (token === '/' && (before === '' || BEFORE_REGEX.test(before))) {
      REGEX.lastIndex = found.index;
      if (REGEX.test(code)) at = REGEX.lastIndex;
    }
    yield { token, end: at };
    before = token;
  }
}

/** Returns the position after a template, which may hold others in its expressions; undefined for one without an end. */
function templateEnd(code: string, start: number): number | undefined {
  // The open brackets: those of templates, and the braces of their expressions.
  const open = ['`'];
  for (let at = start + 1; at < code.length; at++) {
    const character = code[at] ?? '';
    const isText = open.at(-1) === '`';
    if (character === '\\') at++;
    else if (isText && character === '$' && code[at + 1] === '{') open.push(code[++at] ?? '');
    else if (isText ? character === '`' : character === '}') open.pop();
    else if (!isText && (character === '`' || character === '{')) open.push(character);
    else if (!isText && (character === '"' || character === "'")) at = stringEnd(code, at);
    if (open.length === 0) return at + 1;
  }
  return undefined;
}

/** Returns the position of the quote that ends a string, or of the end of its line. */
function stringEnd(code: string, start: number): number {
  let at = start + 1;
  while (at < code.length && code[at] !== code[start] && code[at] !== '\n') at += code[at] === '\\' ? 2 : 1;
  return at;
}

/** Returns a program without comments, and with empty texts. Spaces stay between words only. */
export function bareProgram(code: string): string {
  let bare = '';
  let before = '';
  for (const { token } of tokensOf(code)) {
    const text = /^["'`]/.test(token) ? "''" : token;
    bare += /[\w$]$/.test(before) && /^[\w$]/.test(text) ? ` ${text}` : text;
    before = text;
  }
  return bare;
}

/** Characters after a `return` that decide the shape of its value. */
const MAX_RETURNED_CHARS = 2_000;

/** Returns whether parentheses hold the parameters of a function or method, by the two tokens before them. */
function isOfFunction([last = '', earlier = '']: readonly string[]): boolean {
  if (last === 'function' || last === '*') return true;
  if (CONTROLS.has(last) || (last === 'await' && earlier === 'for')) return false;
  return /^[A-Za-z_$]/.test(last);
}

/** Returns whether a Python program returns a value outside of its inner functions. */
export function returnsInPython(code: string): boolean {
  const functions: number[] = [];
  for (const line of code.split('\n')) {
    const text = line.trimStart();
    if (text === '' || text.startsWith('#')) continue;
    const indent = line.length - text.length;
    while ((functions.at(-1) ?? -1) >= indent) functions.pop();
    if (/^(async\s+)?def\b|^class\b/.test(text)) functions.push(indent);
    else if (functions.length === 0 && /(^|[;:]\s*)return\b/.test(text)) return true;
  }
  return false;
}
