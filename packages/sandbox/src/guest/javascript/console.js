// The console of a program, after the console standard (https://console.spec.whatwg.org). Each call prints a log line.
// Texts stay as they are, objects are readable, errors have their message. Cycles and deep levels are cut.
const MAX_DEPTH = 5;
const MAX_ITEMS = 100;
const MAX_CHARACTERS = 65_536;
const LEVELS = {
  ...{ log: 'info', info: 'info', debug: 'debug', warn: 'warn', error: 'error' },
  ...{ trace: 'debug', dir: 'info', dirxml: 'info', table: 'info' },
};

/**
 * Creates `console`.
 * @param {(level: string, text: string) => void} print
 * @param {() => number} now reads the clock in milliseconds
 */
export function createConsole(print, now) {
  let indent = '';
  const counts = new Map();
  const starts = new Map();
  const log = (/** @type {string} */ level, /** @type {readonly unknown[]} */ values) => {
    const text = formatLog(substituted(values));
    print(level, indent === '' ? text : text.replace(/^/gm, indent));
  };
  const group = (/** @type {unknown[]} */ ...label) => {
    if (label.length > 0) log('info', label);
    indent += '  ';
  };
  const elapsed = (/** @type {unknown} */ label, /** @type {unknown[]} */ values) => {
    const start = starts.get(String(label));
    if (start === undefined) return log('warn', [`There is no timer "${label}": call console.time("${label}") first.`]);
    log('info', [`${label}: ${now() - start} ms`, ...values]);
  };
  const methods = Object.entries(LEVELS).map(([method, level]) => [
    method,
    (/** @type {unknown[]} */ ...values) => log(level, values),
  ]);
  return {
    .../** @type {Record<string, (...values: unknown[]) => void>} */ (Object.fromEntries(methods)),
    dir: (/** @type {unknown} */ value) => log('info', ['%s', value]),
    assert: (/** @type {unknown} */ condition, /** @type {unknown[]} */ ...values) => {
      if (condition) return;
      const [text, ...rest] = values;
      log('error', typeof text === 'string' ? [`Assertion failed: ${text}`, ...rest] : ['Assertion failed', ...values]);
    },
    ...{ group, groupCollapsed: group, clear: () => undefined },
    groupEnd: () => {
      indent = indent.slice(2);
    },
    count: (label = 'default') => {
      counts.set(String(label), (counts.get(String(label)) ?? 0) + 1);
      log('info', [`${label}: ${counts.get(String(label))}`]);
    },
    countReset: (label = 'default') => void counts.delete(String(label)),
    time: (label = 'default') => void starts.set(String(label), now()),
    timeLog: (label = 'default', /** @type {unknown[]} */ ...values) => elapsed(label, values),
    timeEnd: (label = 'default') => {
      elapsed(label, []);
      starts.delete(String(label));
    },
  };
}

/**
 * Puts the values into the text before them, where it has `%s`, `%d`, `%i`, `%f`, `%j`, `%o`, `%O`, `%c` or `%%`.
 * @param {readonly unknown[]} values
 */
function substituted(values) {
  const [text, ...rest] = values;
  if (rest.length === 0 || typeof text !== 'string' || !text.includes('%')) return values;
  const filled = text.replace(/%([sdifjoOc%])/g, (found, kind) => {
    if (kind === '%') return '%';
    if (rest.length === 0) return found;
    const value = rest.shift();
    if (kind === 'c') return '';
    if (kind === 'j') return JSON.stringify(value) ?? 'undefined';
    return 'dif'.includes(kind) ? numberText(kind, value) : formatLog([value]);
  });
  return [filled, ...rest];
}

/**
 * @param {string} kind
 * @param {any} value
 */
function numberText(kind, value) {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object' || typeof value === 'symbol') return 'NaN';
  if (kind === 'i') return String(Number.parseInt(value, 10));
  return String(kind === 'f' ? Number.parseFloat(value) : Number(value));
}

/**
 * Formats the arguments of one console call.
 * @param {readonly unknown[]} values
 */
function formatLog(values) {
  const text = values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' ');
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}… (+${text.length - MAX_CHARACTERS})` : text;
}

/**
 * Formats one value.
 * @param {unknown} value
 */
function inspect(value) {
  try {
    return format(value, 0, []);
  } catch (error) {
    return `[unprintable: ${error instanceof Error ? error.message : 'error'}]`;
  }
}

/**
 * @param {unknown} value
 * @param {number} depth
 * @param {readonly unknown[]} ancestors
 * @returns {string}
 */
function format(value, depth, ancestors) {
  if (typeof value === 'string') return depth === 0 ? value : JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof String) return format(String(value), depth, ancestors);
  if (value instanceof Promise) return '[Promise: did you forget await?]';
  if (ancestors.includes(value)) return '[circular]';
  if (depth >= MAX_DEPTH) return Array.isArray(value) ? '[array]' : '[object]';
  const nested = [...ancestors, value];
  const show = (/** @type {unknown} */ item) => format(item, depth + 1, nested);
  if (Array.isArray(value)) return `[${list(value, show)}]`;
  if (value instanceof Map) return `Map {${list([...value], ([key, item]) => `${show(key)} => ${show(item)}`)}}`;
  if (value instanceof Set) return `Set {${list([...value], show)}}`;
  if (ArrayBuffer.isView(value)) return `[${value.constructor.name} of ${value.byteLength} bytes]`;
  return `{${list(Object.entries(value), ([key, item]) => `${keyText(key)}: ${show(item)}`)}}`;
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => string} show
 */
function list(items, show) {
  const shown = items.slice(0, MAX_ITEMS).map((item) => show(item));
  if (items.length > MAX_ITEMS) shown.push(`… ${items.length - MAX_ITEMS} more`);
  return shown.join(', ');
}

/** @param {string} key */
function keyText(key) {
  return /^[\w$]+$/.test(key) ? key : JSON.stringify(key);
}
