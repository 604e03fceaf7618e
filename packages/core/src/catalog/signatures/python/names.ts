import { exportNames, type Naming } from '../../names/exports.ts';

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** Functions and types that programs rely on, and the names that generated declarations use. */
const BUILTINS: ReadonlySet<string> = new Set(
  (
    'abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict ' +
    'dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int ' +
    'isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property range ' +
    'repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip copyright credits exit ' +
    'license quit Ellipsis NotImplemented Any Literal NotRequired TypeAlias TypedDict'
  ).split(' '),
);
const BUILTIN_ERROR =
  /^[A-Z][A-Za-z]*(?:Error|Exit|Exception|Interrupt|Iteration|Warning)$|^(?:Base)?Exception(?:Group)?$|^Warning$/;

/** Letters that every supported Python accepts. Newer letters of Unicode are syntax errors in an older Python. */
const KNOWN =
  '\\w\\u00aa-\\u024f\\u0370-\\u052f\\u05d0-\\u05ea\\u0620-\\u064a\\u0904-\\u0939\\u3041-\\u30ff\\u4e00-\\u9fa5\\uac00-\\ud7a3';
const IDENTIFIER = new RegExp(`^(?=[${KNOWN}]+$)[\\p{XID_Start}_]\\p{XID_Continue}*$`, 'u');
const FOREIGN = new RegExp(`[^${KNOWN}]+|(?!\\p{XID_Continue}).`, 'gu');
const MAX_NAME_CHARS = 96;

/**
 * Names of Python modules and their functions; aliases are snake_case. Excludes keywords, and builtins because a star import
 * must not replace `open`. No name starts with `_`: it could replace `__getattr__` or `__all__` of the module.
 */
export const PYTHON_NAMES: Naming = {
  isName: (name) => isIdentifier(name) && !name.startsWith('_') && !isBuiltin(name),
  // `servers.files.open(…)`: an attribute of the module, which a star import leaves out.
  isExportOnly: (name) => isBuiltin(name) && isIdentifier(name),
  alias(name) {
    const snake = snakeCase(name).replace(/^_+/, '') || 'tool';
    const base = /^\p{XID_Start}/u.test(snake) ? snake : `tool_${snake}`;
    return KEYWORDS.has(base) || BUILTINS.has(base) ? `${base}_` : base;
  },
};

/** Names of parameters: any identifier, including `type` and `id`. */
const PARAMETER_NAMES: Naming = {
  isName: isIdentifier,
  alias(name) {
    const snake = snakeCase(name) || '_';
    const base = /^[\p{XID_Start}_]/u.test(snake) ? snake : `_${snake}`;
    return KEYWORDS.has(base) ? `${base}_` : base;
  },
};

/** Returns whether a text is an identifier, and not a keyword, in every supported version of Python. */
export function isIdentifier(name: string): boolean {
  // Python treats identifiers that are equal under NFKC as the same identifier.
  return IDENTIFIER.test(name) && !KEYWORDS.has(name) && name.normalize('NFKC') === name;
}

/** Returns the keywords of parameters whose names are not identifiers: `from_` for `from`, `odd_name` for `odd name`. */
export function keywordNames(parameters: readonly string[]): Map<string, string> {
  return new Map([...keywordAliases(parameters)].filter(([, parameter]) => !isIdentifier(parameter)));
}

/**
 * Returns the keywords that parameters have besides their own names: those of {@link keywordNames}, and `page_size` for `pageSize`. None
 * is the name of another parameter.
 */
export function keywordAliases(parameters: readonly string[]): Map<string, string> {
  const names = [...exportNames(parameters, PARAMETER_NAMES)];
  return new Map(names.filter(([keyword, parameter]) => keyword !== parameter));
}

function isBuiltin(name: string): boolean {
  return BUILTINS.has(name) || BUILTIN_ERROR.test(name);
}

function snakeCase(name: string): string {
  return name
    .slice(0, MAX_NAME_CHARS)
    .normalize('NFKC')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})|([\p{Ll}\d])(?=\p{Lu})/gu, '$1$2_')
    .toLowerCase()
    .replace(FOREIGN, '_')
    .normalize('NFKC')
    .replace(/(?<!^_*)_+/g, '_')
    .replace(/_+$/, '');
}
