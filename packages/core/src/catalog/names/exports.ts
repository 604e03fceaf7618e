import { createHash } from 'node:crypto';

/** Words that cannot name an export, or that change what a module is: `then` would make it a thenable. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'abstract arguments await break case catch class const constructor continue debugger default delete do else enum ' +
    'eval export extends false finally for function globalThis if implements import in Infinity instanceof interface ' +
    'let NaN new null package private protected prototype public __proto__ return static super switch then this throw ' +
    'true try typeof undefined var void while with yield'
  ).split(' '),
);

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const FILE_NAME = /^[A-Za-z\d](?:[\w-]{0,62}[A-Za-z\d])?$/;
const MAX_SLUG_CHARS = 48;
const MAX_EXPORT_CHARS = 96;

/** Tells whether a name can be exported from a JavaScript module under exactly itself. */
export function isExportName(name: string): boolean {
  return IDENTIFIER.test(name) && !RESERVED.has(name);
}

/** What a language lets a module call its exports. */
export interface Naming {
  /** Tells whether something can be exported under exactly this name. */
  isName(name: string): boolean;
  /** A name as the language usually writes it; not always one that `isName` accepts. */
  alias(name: string): string;
}

/** Exports of a JavaScript module; aliases are camelCase. */
export const JAVASCRIPT_NAMES: Naming = { isName: isExportName, alias: camelCase };

/**
 * Maps server names to slugs for `./servers/<slug>/index.js`. A name that is a plain file name stays as it is; any other is
 * cleaned, with a short hash of the name where the cleaned form is empty or taken. Independent of the order of `names`.
 */
export function serverSlugs(names: readonly string[]): Map<string, string> {
  const servers = [...new Set(names)].sort();
  const slugs = new Map<string, string>(servers.filter((name) => FILE_NAME.test(name)).map((name) => [name, name]));
  const taken = new Set(slugs.values());
  const wanted = groups(
    servers.filter((name) => !slugs.has(name)),
    fileName,
  );
  for (const [base, sharing] of wanted) {
    for (const name of sharing) {
      const free = base !== '' && sharing.length === 1 && !taken.has(base);
      const slug = free ? base : hashed(base === '' ? 'server' : base, '-', name, taken);
      slugs.set(name, slug);
      taken.add(slug);
    }
  }
  return slugs;
}

/**
 * Maps the export names of one server's module to its tools' own names. A tool whose name is an identifier is exported
 * under it; each tool also gets an alias (camelCase, unless `naming` says otherwise) when no other tool could claim it; what
 * is left gets the alias plus a short hash of its name. Independent of the order of `toolNames`; every tool has at least one
 * export.
 */
export function exportNames(
  toolNames: readonly string[],
  { isName, alias: aliasOf }: Naming = JAVASCRIPT_NAMES,
): Map<string, string> {
  const tools = [...new Set(toolNames)].sort();
  const exports = new Map<string, string>(tools.filter(isName).map((name) => [name, name]));
  for (const [alias, sharing] of groups(tools, aliasOf)) {
    for (const name of sharing) {
      if (sharing.length === 1 && isName(alias) && !exports.has(alias)) exports.set(alias, name);
      else if (!isName(name)) exports.set(hashed(alias, '_', name, exports), name);
    }
  }
  return exports;
}

/** The first export of each tool: the one that its documentation shows. */
export function primaryNames(exports: ReadonlyMap<string, string>): Map<string, string> {
  const primary = new Map<string, string>();
  for (const [name, tool] of exports) if (!primary.has(tool)) primary.set(tool, name);
  return primary;
}

/** A short, stable fingerprint of a text: lower-case hexadecimal, `length` characters. */
export function shortHash(text: string, length = 6): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/** `base` plus a hash of `name`, as long as it takes to be free. */
function hashed(base: string, separator: string, name: string, taken: { has(name: string): boolean }): string {
  for (let length = 6; length < 64; length++) {
    const candidate = `${base}${separator}${shortHash(name, length)}`;
    if (!taken.has(candidate)) return candidate;
  }
  return `${base}${separator}${shortHash(name, 64)}`;
}

function groups(names: readonly string[], key: (name: string) => string): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const name of names) {
    const sharing = grouped.get(key(name));
    if (sharing) sharing.push(name);
    else grouped.set(key(name), [name]);
  }
  return grouped;
}

function fileName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\w-]+/g, '-')
    .slice(0, MAX_SLUG_CHARS)
    .replace(/^[_-]+|[_-]+$/g, '');
}

function camelCase(name: string): string {
  const cased = /\p{Ll}/u.test(name) ? name : name.toLowerCase();
  const [first, ...others] = cased.slice(0, MAX_EXPORT_CHARS).match(/[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}$]+/gu) ?? ['tool'];
  const joined = lowerFirst(first ?? 'tool') + others.map(upperFirst).join('');
  return IDENTIFIER.test(joined) ? joined : `_${joined}`;
}

function lowerFirst(word: string): string {
  return word.slice(0, 1).toLowerCase() + word.slice(1);
}

function upperFirst(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
