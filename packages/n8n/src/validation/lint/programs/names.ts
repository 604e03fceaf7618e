import type { Mistake, RunMode } from './mistake.ts';
import { bareProgram } from './returns.ts';

const REQUEST = 'Write await this.helpers.httpRequest({ url, json: true }), or use an httpRequest node.';
const DATE = 'Use DateTime of Luxon, which n8n defines: DateTime.now().toISO().';
const LIST = 'Use the methods of lists and objects, such as list.map(…) and Object.keys(…).';
const BROWSER = 'A Code node has no page and no browser. Read the data from $input.';
const NODE = 'Read the value from $input, from $vars, or from a node before this one.';
const ADDRESS = 'Take the text apart with a regular expression, or put it together with encodeURIComponent.';

/** Names that programs often use and that n8n does not define in a Code node. */
const MISSING: Readonly<Record<string, string>> = {
  $helpers: 'Write this.helpers.',
  axios: REQUEST,
  got: REQUEST,
  request: REQUEST,
  XMLHttpRequest: REQUEST,
  moment: DATE,
  dayjs: DATE,
  _: LIST,
  lodash: LIST,
  document: BROWSER,
  window: BROWSER,
  localStorage: BROWSER,
  sessionStorage: BROWSER,
  navigator: BROWSER,
  DOMParser: 'Use the html or xml node to read markup.',
  cheerio: 'Use the html node to read markup.',
  process: NODE,
  URL: ADDRESS,
  URLSearchParams: ADDRESS,
  structuredClone: 'Write JSON.parse(JSON.stringify(value)).',
  True: 'Write true: the language is JavaScript.',
  False: 'Write false: the language is JavaScript.',
  None: 'Write null: the language is JavaScript.',
};
/** Longer programs are not read: each name takes a search of the program. */
const MAX_CHARS = 100_000;
const WORD = /(?<![\w$.])(?:[A-Za-z]\w*|\$helpers|_)(?![\w$])/g;
const METHODS = new Set(['all', 'first', 'last', 'itemMatching']);
const MEMBERS = new Set([...METHODS, 'item', 'params', 'context', 'isExecuted']);

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

/** Returns the names of a program that n8n does not define, and wrong uses of `$input`. */
export function nameMistakes(code: string, mode: RunMode): Mistake[] {
  if (code.length > MAX_CHARS) return [];
  const source = bareProgram(code);
  const used = new Set([...source.matchAll(WORD)].map(([name]) => name));
  const missing = [...used].find((name) => Object.hasOwn(MISSING, name) && isOnlyUsed(source, name));
  if (missing !== undefined) {
    const message = `The program uses ${missing}, which n8n does not define in a Code node; the node fails.`;
    return [{ code: 'CODE_NAME', message, fix: MISSING[missing] ?? '' }];
  }
  const undeclared = undeclaredName(code, source, mode);
  if (undeclared !== undefined) {
    const message = `The program uses ${undeclared}, which neither it nor n8n declares; the node fails.`;
    const fix =
      undeclared === 'items'
        ? 'Use $input.item in the mode "Run Once for Each Item".'
        : `Declare ${undeclared}, or read it from $input, such as $input.first().json.${undeclared}.`;
    return [{ code: 'CODE_NAME', message, fix }];
  }
  return [...inputMistakes(source), ...constantMistakes(source)].slice(0, 1);
}

/** Returns the constants that a program declares twice outside of all blocks, or changes although it declares the name once. */
function constantMistakes(source: string): Mistake[] {
  const outside = new Set<string>();
  for (const name of declaredOutside(source)) {
    if (outside.has(name)) {
      const message = `The program declares ${name} twice; the node fails.`;
      return [
        { code: 'CODE_SYNTAX', message, fix: `Give one of them another name, or assign to ${name} without const.` },
      ];
    }
    outside.add(name);
  }
  const constants = [...source.matchAll(/\bconst\s+([A-Za-z_]\w*)\s*=/g)].map(([, name = '']) => name);
  const changed = constants
    .slice(0, MAX_CONSTANTS)
    .find((name) => isDeclaredOnce(source, name) && isChanged(source, name));
  if (changed === undefined) return [];
  const message = `The program assigns to the constant ${changed}; the node fails.`;
  return [{ code: 'CODE_NAME', message, fix: `Declare ${changed} by let.` }];
}

const MAX_CONSTANTS = 100;

/** Returns the names that `const`, `let` and `class` declare outside of all blocks, functions and parentheses. */
function* declaredOutside(source: string): Generator<string> {
  let depth = 0;
  for (const [token, , name] of source.matchAll(/[({[]|[)}\]]|(?<![\w$.])(const|let|class)\s+([A-Za-z_$][\w$]*)/g)) {
    if (name !== undefined) {
      if (depth === 0) yield name;
    } else depth += '({['.includes(token) ? 1 : -1;
  }
}

/** Returns whether one declaration binds a name, and no parameter or pattern does. */
function isDeclaredOnce(source: string, name: string): boolean {
  const declared = source.match(new RegExp(`\\b(?:const|let|var|function|class)\\s+${name}\\b`, 'g')) ?? [];
  const parameter = `\\([^()]{0,200}\\b${name}\\b[^()]{0,200}\\)\\s*(?:=>|\\{)|\\b${name}\\s*=>`;
  const pattern = `\\b(?:const|let|var)\\s*[{[][^=]{0,200}\\b${name}\\b`;
  return declared.length === 1 && !new RegExp(`${parameter}|${pattern}`).test(source);
}

function isChanged(source: string, name: string): boolean {
  const own = `(?<![\\w$.])${name}`;
  const assigned = new RegExp(`(?<!const\\s{1,20})${own}\\s*(?:[-+*/%&|^]|\\*\\*|<<|>>|\\|\\||&&|\\?\\?)?=(?![=>])`);
  return assigned.test(source) || new RegExp(`${own}\\s*(?:\\+\\+|--)|(?:\\+\\+|--)\\s*${own}(?![\\w$])`).test(source);
}

/** Returns whether a program only reads a name: it does not declare it, has no parameter or property of it, and asks no `typeof`. */
function isOnlyUsed(source: string, name: string): boolean {
  const own = name.replace('$', '\\$');
  const use = `(?<![\\w$.])${own}(?![\\w$])`;
  const before = '(?:const|let|var|function\\*?|class|typeof|catch\\s*\\(|of|in)';
  const declares = new RegExp(
    `\\b${before}\\s+${own}(?![\\w$])|${use}\\s*(?:=(?![=])|=>|:|\\?\\.)|catch\\s*\\(\\s*${own}\\b`,
  );
  // A name between commas or brackets may be a parameter or a part of a pattern.
  const mayBeBound = new RegExp(`[({[,]\\s*${own}\\s*[)}\\],]`);
  return !declares.test(source) && !mayBeBound.test(source);
}

function inputMistakes(source: string): Mistake[] {
  for (const [, name = '', call] of source.matchAll(/\$input\s*\.\s*([A-Za-z_]\w*)\s*(\()?/g)) {
    if (!MEMBERS.has(name)) {
      const message = `$input has no ${name}; the node fails.`;
      return [{ code: 'CODE_NAME', message, fix: 'Use $input.all(), $input.first(), $input.last() or $input.item.' }];
    }
    if (METHODS.has(name) && call === undefined) {
      const message = `The program uses $input.${name} without a call; it is a function, not the items.`;
      return [{ code: 'CODE_NAME', message, fix: `Write $input.${name}().` }];
    }
  }
  return [];
}

/**
 * Returns the first name of a program that nothing declares. A name that may be a parameter, a pattern or a key anywhere counts as
 * declared, so a program with such a name has none.
 *
 * @param program The program without comments and texts.
 */
function undeclaredName(code: string, program: string, mode: 'all' | 'each'): string | undefined {
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
