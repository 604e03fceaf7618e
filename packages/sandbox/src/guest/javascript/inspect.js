// Formats values as log text like `console.log`: strings unchanged, readable objects, errors with their message. Cycles and
// deep levels are cut.
const MAX_DEPTH = 5;
const MAX_ITEMS = 100;
const MAX_CHARACTERS = 65_536;

/**
 * Formats the arguments of one console call.
 * @param {readonly unknown[]} values
 */
export function formatLog(values) {
  const text = values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' ');
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}… (+${text.length - MAX_CHARACTERS})` : text;
}

/**
 * Formats one value.
 * @param {unknown} value
 */
export function inspect(value) {
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
