import { logicalLines, stringsOf } from './text.ts';

const NAME = String.raw`[A-Za-z_]\w*`;
const IMPORT = new RegExp(String.raw`^\s*(?:from\s+servers(?:\.${NAME})?\s+import\s+(.+)|import\s+servers\.${NAME})$`);
const START = new RegExp(String.raw`^\s*(?:return\b|${NAME}\s*=(?!=))?(.*)$`, 's');
const TOKEN = new RegExp(String.raw`\s*(?:(${NAME}(?:\s*\.\s*${NAME})*)|("_*"?)|(\d[\d_.]*)|([\[\](){},:=.]))`, 'y');
const LOOP = new RegExp(String.raw`^\s*for\s+(${NAME})\s+in\b(.*):\s*$`, 's');
const COMPREHENSION = new RegExp(String.raw`\s*for\s+(${NAME})\s+in\b`, 'y');
/** Words that compute with the values around them. */
const OPERATORS: ReadonlySet<string> = new Set(
  'and or not in is if else for while lambda def class with try del yield async match case assert raise'.split(' '),
);
const FUNCTIONS: readonly string[] = ['call_mcp_tool', 'print', 'asyncio.gather'];

/**
 * Returns whether a program only passes on the data that it receives. It calls tools, selects members of their results by text keys, and
 * returns them. Such a program does the same for any text. Syntax that is not known here counts as a use of the text. A loop reads members
 * of each item at once: in place of its list, each text raises the same error.
 */
export function pythonPassesData(source: string): boolean {
  if (stringsOf(source).some(({ prefix }) => prefix !== '')) return false;
  const imported: string[] = [];
  const lines = logicalLines(source);
  if (!lines.some(({ code }) => LOOP.test(code)) && lines.some(({ indent }) => indent > 0)) return false;
  if (!readsMembersOnly(lines.map(({ code }) => code).join('\n'))) return false;
  return lines.every(({ code }, index) => {
    const [isImport, names = ''] = IMPORT.exec(code) ?? [];
    if (isImport !== undefined) {
      imported.push(...names.split(/[\s,()]+/).filter((name) => name !== ''));
      return !/\*/.test(names);
    }
    const [, item, list] = LOOP.exec(code) ?? [];
    if (item !== undefined && !readsAtOnce(item, lines[index + 1]?.code ?? '')) return false;
    return isPlain(list ?? START.exec(code)?.[1] ?? code, [...FUNCTIONS, ...imported]);
  });
}

/** Returns whether the items of all loops are used as `item["key"]` only. */
function readsMembersOnly(code: string): boolean {
  const items = Array.from(code.matchAll(new RegExp(String.raw`\bfor\s+(${NAME})`, 'g')), ([, name]) => name);
  return items.every((name) => !new RegExp(String.raw`(?<![\w.]|\bfor\s+)${name}\b(?!\s*\[\s*")`).test(code));
}

/** Returns whether the first expression of a loop reads a member of the item. */
function readsAtOnce(item: string, code: string): boolean {
  const first = LOOP.exec(code)?.[2] ?? code;
  return new RegExp(String.raw`(?<![\w.])${item}\s*\[`).test(first) && !/\bfor\b/.test(first);
}

/** Returns whether an expression has only names, literals, text keys, and calls of these functions and of servers. */
function isPlain(code: string, functions: readonly string[]): boolean {
  const text = code.trimEnd();
  let before = '';
  /** The open brackets: of a brace, whether its member has a key. The order of a set depends on its texts. */
  const open: { readonly isBrace: boolean; hasKey: boolean; readonly start: number }[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    COMPREHENSION.lastIndex = at;
    const [loop, item = ''] = COMPREHENSION.exec(text) ?? [];
    if (loop !== undefined) {
      const list = open.at(-1);
      if (text[list?.start ?? 0] !== '[' || !readsAtOnce(item, text.slice(list?.start, at))) return false;
      before = 'await';
      TOKEN.lastIndex = at + loop.length;
      continue;
    }
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return false;
    const [whole, words] = found;
    const token = words === undefined ? whole.trim() : words.replaceAll(/\s/g, '');
    if (words !== undefined && token.split('.').some((word) => OPERATORS.has(word))) return false;
    const isAfterValue = /[\w"\])}]$/.test(before) && !/^(?:await|return)$/.test(before);
    if (token === '[' && isAfterValue && !/^\s*"/.test(text.slice(TOKEN.lastIndex))) return false;
    if (token === '(' && isAfterValue && !isCallable(before, functions)) return false;
    if (token === '=' && before === '=') return false;
    const brace = open.at(-1)?.isBrace ? open.at(-1) : undefined;
    if (brace && (token === ',' || token === '}') && !brace.hasKey && before !== '{' && before !== ',') return false;
    if (brace) brace.hasKey = token === ':' || (brace.hasKey && token !== ',');
    if (/[[({]/.test(token)) open.push({ isBrace: token === '{', hasKey: false, start: TOKEN.lastIndex - 1 });
    else if (/[\])}]/.test(token)) open.pop();
    // A name after a value is an operator that is not known here, or the name of a member of a call.
    if (token === '.' && !/[)\]]$/.test(before)) return false;
    before = token;
  }
  return true;
}

function isCallable(name: string, functions: readonly string[]): boolean {
  // A text has no `append`: the program fails for any text.
  return functions.includes(name) || /^\w+\.append$/.test(name) || /^servers\.\w+\.\w+$/.test(name);
}
