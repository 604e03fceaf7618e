/**
 * A pattern of characters between the letters and digits of a value, with at most one repetition. Without these characters, the value is still
 * whole: a class of all others keeps at least the digits.
 */
const SEPARATORS =
  /^(?:\\[sDW]|[ ,_/-]|\\[.()/+-]|\[(?:\\[sDW.()/+-]|[ .,_()/+-])+\]|\[\^(?=[^\]]*(?:0-9|\\[dw]))(?:\\[sdw.()/+-]|a-z|A-Z|0-9|[ .,_()/+-])+\])[+]?$/;
const MAX_PADDED = 1_000;
const MAX_REPLACEMENT = 10;

type Apply = (text: string) => string;

/** Methods without arguments, of JavaScript and Python. */
const PLAIN: Readonly<Record<string, Apply>> = {
  toLowerCase: (text) => text.toLowerCase(),
  toUpperCase: (text) => text.toUpperCase(),
  trim: (text) => text.trim(),
  trimStart: (text) => text.trimStart(),
  trimEnd: (text) => text.trimEnd(),
  title: (text) => text.replaceAll(/\b\w/g, (letter) => letter.toUpperCase()),
  titleCase: (text) => text.toLowerCase().replaceAll(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase()),
  capitalize: (text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase(),
  casefold: (text) => text.toLowerCase().replaceAll('ß', 'ss'),
};

/** Returns a method of texts with its arguments; undefined if its result is no form of the whole value, or if it is not known. */
export function textMethod(method: string, parameters: readonly unknown[]): Apply | undefined {
  const plain = Object.hasOwn(PLAIN, method) ? PLAIN[method] : undefined;
  if (plain) return parameters.length === 0 ? plain : undefined;
  switch (method) {
    case 'normalize':
      return normalised(parameters);
    case 'padStart':
    case 'padEnd':
      return padded(method, parameters);
    case 'replace':
      return replaced(parameters);
    default:
      return undefined;
  }
}

/** Returns the words of a name; undefined if they are not separated by single blanks. */
export function wordsOf(text: string, separator: unknown): readonly string[] | undefined {
  const words = text.split(separator === 'blank' ? ' ' : /\s+/);
  return words.includes('') ? undefined : words;
}

function normalised([form = 'NFC', ...others]: readonly unknown[]): Apply | undefined {
  if (others.length > 0 || !['NFC', 'NFD', 'NFKC', 'NFKD'].includes(String(form))) return undefined;
  return (text) => text.normalize(String(form));
}

function padded(method: 'padStart' | 'padEnd', [length, fill = ' ']: readonly unknown[]): Apply | undefined {
  if (typeof length !== 'number' || !(length <= MAX_PADDED) || typeof fill !== 'string' || fill.length !== 1)
    return undefined;
  return (text) => text[method](length, fill);
}

/** Replaces separators: all of them with the flag `g`, else the first. */
function replaced([source, flags, replacement]: readonly unknown[]): Apply | undefined {
  const isKnown = typeof source === 'string' && source.length <= 40 && SEPARATORS.test(source);
  if (!isKnown || !/^g?i?u?$/.test(String(flags))) return undefined;
  if (typeof replacement !== 'string' || replacement.length > MAX_REPLACEMENT || replacement.includes('$'))
    return undefined;
  // A class of characters with one repetition takes linear time.
  const pattern = new RegExp(source, String(flags));
  return (text) => text.replace(pattern, replacement);
}
