import { groupNames, hashedName } from './hash.ts';

/** Words that cannot name a function, or that a function must not hide. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'abstract arguments await break case catch class const constructor continue debugger default delete do else enum ' +
    'eval export extends false finally for function globalThis if implements import in Infinity instanceof interface ' +
    'let NaN new null package private protected prototype public __proto__ return static super switch then this throw ' +
    'true try typeof undefined var void while with yield'
  ).split(' '),
);

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const MAX_EXPORT_CHARS = 96;

/** Returns whether a JavaScript function can have this exact name. */
export function isFunctionName(name: string): boolean {
  return IDENTIFIER.test(name) && !RESERVED.has(name);
}

/** The naming rules of a language for the exports of a module. */
export interface Naming {
  /** Returns whether a function of a module can have this exact name. */
  isName(name: string): boolean;
  /** Returns whether a module can export a function under this name, which `isName` does not accept. Default: it cannot. */
  isExportOnly?(name: string): boolean;
  /** Returns the name in the language's usual style. `isName` does not accept every result. */
  alias(name: string): string;
}

/**
 * Exports of a JavaScript module; aliases are camelCase. A reserved word can be exported: `export { delete_ as delete }`. Some names have
 * another meaning for modules and objects: an export `then` makes the module a thenable.
 */
export const JAVASCRIPT_NAMES: Naming = {
  isName: isFunctionName,
  isExportOnly: (name) => RESERVED.has(name) && !['then', 'default', '__proto__'].includes(name),
  alias: camelCase,
};

/**
 * Maps the export names of one server's module to the tools' own names. The first name of every tool can name its function, and
 * the result does not depend on the order of `toolNames`:
 * - A tool whose name is an identifier is exported under that name.
 * - A tool also gets an alias in the style of `naming` (camelCase by default) when no other tool has the same alias.
 * - A reserved word is exported too where the language allows it. Its function has the name with `_`.
 * - A tool without a name for its function gets the alias plus a short hash of its name.
 */
export function exportNames(
  toolNames: readonly string[],
  { isName, isExportOnly = () => false, alias: aliasOf }: Naming = JAVASCRIPT_NAMES,
): Map<string, string> {
  const tools = [...new Set(toolNames)].sort();
  const exports = new Map<string, string>(tools.filter(isName).map((name) => [name, name]));
  const words = new Map<string, string>(tools.filter(isExportOnly).map((name) => [name, name]));
  for (const [alias, group] of groupNames(tools, aliasOf)) {
    const isWord = isExportOnly(alias);
    const wanted = isWord ? `${alias}_` : alias;
    for (const name of group) {
      const isOwn = group.length === 1 || name === alias;
      if (isWord && isOwn && !words.has(alias)) words.set(alias, name);
      if (isOwn && isName(wanted) && !exports.has(wanted) && !(isWord && isName(name))) exports.set(wanted, name);
      else if (!isName(name)) exports.set(hashedName(alias, '_', name, exports), name);
    }
  }
  return new Map([...exports, ...words]);
}

/** Returns the first export of each tool, which documentation shows, by the tool's own name. */
export function primaryNames(exports: ReadonlyMap<string, string>): Map<string, string> {
  const primary = new Map<string, string>();
  for (const [name, tool] of exports) if (!primary.has(tool)) primary.set(tool, name);
  return primary;
}

function camelCase(name: string): string {
  const cased = /\p{Ll}/u.test(name) ? name : name.toLowerCase();
  const [first, ...others] = cased.slice(0, MAX_EXPORT_CHARS).match(/[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}$]+/gu) ?? ['tool'];
  const joined = lowerStart(first ?? 'tool') + others.map(upperFirst).join('');
  return IDENTIFIER.test(joined) ? joined : `_${joined}`;
}

/** Lowers the first letter, or the acronym at the start: `HTTPRequest` becomes `httpRequest`. */
function lowerStart(word: string): string {
  return word.replace(/^\p{Lu}+(?!\p{Ll})|^\p{Lu}/u, (start) => start.toLowerCase());
}

function upperFirst(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
