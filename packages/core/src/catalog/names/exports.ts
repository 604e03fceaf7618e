import { groupNames, hashedName } from './hash.ts';

/** Words that cannot name an export, or that change the module itself: an export `then` makes it a thenable. */
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

/** Returns whether a JavaScript module can export this exact name. */
export function isExportName(name: string): boolean {
  return IDENTIFIER.test(name) && !RESERVED.has(name);
}

/** The naming rules of a language for the exports of a module. */
export interface Naming {
  /** Returns whether a module can export this exact name. */
  isName(name: string): boolean;
  /** Returns the name in the language's usual style. `isName` does not accept every result. */
  alias(name: string): string;
}

/** Exports of a JavaScript module; aliases are camelCase. */
export const JAVASCRIPT_NAMES: Naming = { isName: isExportName, alias: camelCase };

/**
 * Maps the export names of one server's module to the tools' own names. Every tool has at least one export, and the result
 * does not depend on the order of `toolNames`:
 * - A tool whose name is an identifier is exported under that name.
 * - A tool also gets an alias in the style of `naming` (camelCase by default) when no other tool has the same alias.
 * - A tool with neither gets the alias plus a short hash of its name.
 */
export function exportNames(
  toolNames: readonly string[],
  { isName, alias: aliasOf }: Naming = JAVASCRIPT_NAMES,
): Map<string, string> {
  const tools = [...new Set(toolNames)].sort();
  const exports = new Map<string, string>(tools.filter(isName).map((name) => [name, name]));
  for (const [alias, group] of groupNames(tools, aliasOf)) {
    for (const name of group) {
      if (group.length === 1 && isName(alias) && !exports.has(alias)) exports.set(alias, name);
      else if (!isName(name)) exports.set(hashedName(alias, '_', name, exports), name);
    }
  }
  return exports;
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
  const joined = lowerFirst(first ?? 'tool') + others.map(upperFirst).join('');
  return IDENTIFIER.test(joined) ? joined : `_${joined}`;
}

function lowerFirst(word: string): string {
  return word.slice(0, 1).toLowerCase() + word.slice(1);
}

function upperFirst(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
