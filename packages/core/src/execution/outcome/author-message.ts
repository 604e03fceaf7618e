import type { ExecutionError } from '../../history/result.ts';

/** Messages of engines about an expression: V8 prints the rewritten one, QuickJS none. */
const NO_FUNCTION = /^(?:.*__toolwright_.* is )?not a function$/s;
const NO_ITERABLE =
  /^(?:.*__toolwright_.* is )?(?:value is )?not (?:a function or its return value is not )?iterable\b/s;
/** The calls that a rewriting inserts, as V8 prints them. */
const INSERTED = /__toolwright_link|__toolwright_\w+(?:\.\w+(?:\(\.\.\.\))?)?/g;
const MAX_CHARACTERS = 100;

/** Returns the error with a message about the expression as its author wrote it. */
export function inAuthorsWords(error: ExecutionError, source: string): ExecutionError {
  const { message, line, column } = error;
  const what = NO_FUNCTION.test(message) ? 'a function' : NO_ITERABLE.test(message) ? 'iterable' : undefined;
  if (what === undefined || line === undefined || column === undefined) {
    const plain = message.replaceAll(INSERTED, '(intermediate value)');
    return plain === message ? error : { ...error, message: plain };
  }
  const text = source.split('\n')[line - 1] ?? '';
  const expression = chainAt(text, column - 1, what === 'iterable');
  return { ...error, message: `${expression === '' ? 'A value' : expression} is not ${what}` };
}

/** Returns the members and calls around an index, as in `rows.map(...).first`. `isWhole` includes those after it. */
function chainAt(text: string, index: number, isWhole: boolean): string {
  const [rest = ''] = /^[\w$]*/.exec(text.slice(index)) ?? [];
  const [further = ''] = isWhole ? (/^(?:\??\.[\w$]+)*/.exec(text.slice(index + rest.length)) ?? []) : [];
  let at = index + rest.length;
  let chain = further;
  for (;;) {
    const [name] = /[\w$]+$/.exec(text.slice(0, at)) ?? [];
    if (name !== undefined) {
      chain = name + chain;
      at -= name.length;
    } else {
      const start = openingOf(text, at - 1);
      if (start === undefined) break;
      chain = (text[start] === '(' ? '(...)' : text.slice(start, at)) + chain;
      at = start;
      continue;
    }
    const [dot] = /\??\.$/.exec(text.slice(0, at)) ?? [];
    if (dot === undefined) break;
    chain = dot + chain;
    at -= dot.length;
  }
  return chain.slice(-MAX_CHARACTERS);
}

/** Returns the index of the bracket that a closing one at an index ends; undefined for another character. */
function openingOf(text: string, end: number): number | undefined {
  if (text[end] !== ')' && text[end] !== ']') return undefined;
  let depth = 0;
  for (let at = end; at >= 0; at--) {
    if (/[)\]]/.test(text[at] ?? '')) depth++;
    else if (/[([]/.test(text[at] ?? '') && --depth === 0) return at;
  }
  return undefined;
}
