/** Names that JavaScript and n8n define in every program of a Code node. */
const DEFINED = new Set(
  (
    'undefined NaN Infinity globalThis arguments eval isNaN isFinite parseInt parseFloat encodeURI encodeURIComponent decodeURI ' +
    'decodeURIComponent escape unescape Object Function Array Number String Boolean Symbol BigInt Math JSON Date RegExp Promise Proxy ' +
    'Reflect Map Set WeakMap WeakSet WeakRef FinalizationRegistry Error TypeError RangeError SyntaxError ReferenceError EvalError ' +
    'URIError AggregateError Intl Atomics ArrayBuffer SharedArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array ' +
    'Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array WebAssembly console require module ' +
    'exports Buffer setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate btoa atob TextDecoder TextEncoder ' +
    'TextDecoderStream TextEncoderStream FormData DateTime Interval Duration helpers global self __dirname __filename'
  ).split(' '),
);
const KEYWORDS = new Set(
  (
    'async await break case catch class const continue debugger default delete do else extends false finally for from function get if ' +
    'import in instanceof let new null of return set static super switch this throw true try typeof var void while with yield'
  ).split(' '),
);
/** By the mode of the node. */
const OF_MODE = { all: ['items'], each: ['item'] } as const;

/** A template inside of a template, which the tokens do not show. */
const NESTED_TEMPLATE = /\$\{[^}`]*`/;
/** Letters of names that the tokens take apart. */
const OTHER_LETTERS = /\P{ASCII}/u;
const BINDINGS: readonly RegExp[] = [
  // Patterns, other declarations, and assignments.
  /\b(?:const|let|var)\s*[{[]([^;]{0,600}?)[}\]]\s*(?:=(?!=)|of\b|in\b)/g,
  /\b(?:const|let|var)\b([^=;]{1,400}?)(?:=(?!=)|;|\bof\b|\bin\b|$)/g,
  /\b(?:function|class|catch|get|set|static|async)\b[\s*(]*([A-Za-z_$][\w$]*)/g,
  /(?<![\w$.])([A-Za-z_$][\w$]*)\s*(?:=>|(?:[-+*/%&|^]|\*\*|\|\||&&|\?\?)?=(?!=)|:)/g,
  // Parameters of functions and methods, and their names.
  /([A-Za-z_$][\w$]*)?\(([^()]{0,400}(?:\([^()]{0,200}\)[^()]{0,200})?)\)\s*(?:=>|\{)/g,
  // The second declaration of a list, such as let a = 1, b.
  /,\s*([A-Za-z_$][\w$]*)\s*(?=[,;=]|$)/g,
];
const NAME = /(?<![\w$.#])[A-Za-z_$][\w$]*/g;

/**
 * Returns the first name of a program that nothing declares. A name that may be a parameter, a pattern or a key anywhere counts as
 * declared, so a program with such a name has none.
 *
 * @param program The program without comments and texts.
 */
export function undeclaredName(code: string, program: string, mode: 'all' | 'each'): string | undefined {
  const bare = program.replaceAll('...', ' ');
  if (NESTED_TEMPLATE.test(code) || OTHER_LETTERS.test(bare) || /\b(?:eval|with|import)\b/.test(bare)) return undefined;
  const declared = new Set<string>(OF_MODE[mode]);
  for (const pattern of BINDINGS)
    for (const found of bare.matchAll(pattern))
      for (const text of found.slice(1)) for (const [name] of (text ?? '').matchAll(NAME)) declared.add(name);
  for (const [, name = ''] of bare.matchAll(/\btypeof\s+([A-Za-z_$][\w$]*)/g)) declared.add(name);
  for (const [name] of bare.matchAll(NAME)) {
    if (!name.startsWith('$') && !KEYWORDS.has(name) && !DEFINED.has(name) && !declared.has(name)) return name;
  }
  return undefined;
}
