import { collectNames, MAX_NESTING, mayCallTools, type NameCollector, type ProgramNames } from '../program-names.ts';
import { logicalLines, stringsOf } from './text.ts';

const NAME = String.raw`[\p{ID_Start}_][\p{ID_Continue}]*`;
const IMPORT_MODULES = /^\s*import\s+(.+)$/u;
const IMPORT_NAMES = new RegExp(String.raw`^\s*from\s+servers(?:\s*\.\s*(${NAME}))?\s+import\s*(.+)$`, 'u');
const IMPORTED = new RegExp(String.raw`^[\s(]*(\*|${NAME}(?:\s*\.\s*${NAME})*)(?:\s+as\s+(${NAME}))?`, 'u');
/** A name with the members that are read from it. */
const CHAIN = new RegExp(String.raw`(?<!\p{ID_Continue}|\.\s*)(${NAME})((?:\s*\.\s*${NAME})*)`, 'gu');
const MEMBER = new RegExp(String.raw`\.\s*(${NAME})`, 'gu');
const SERVER_MODULE = new RegExp(String.raw`^servers\.(${NAME})$`, 'u');
/** Statements before another one on the same line: `try: import x`, `if a: from x import y`. */
const STATEMENT = /;|:(?=\s*(?:import|from)\s)/;
const ESCAPE = /\\(?:(["'\\])|n|x([\da-fA-F]{2})|u([\da-fA-F]{4}))/g;

/** Returns the tools that a Python module names. The text is not parsed: it may have syntax errors. */
export function pythonNames(source: string): ProgramNames {
  const found = collectNames();
  addNames(source, found, MAX_NESTING);
  return found.names();
}

/** Adds the names of a text, and those of code in its text literals: its author wrote them too. */
function addNames(source: string, found: NameCollector, nesting: number): void {
  addTexts(source, found, nesting);
  const modules = new Map<string, string>();
  const statements = logicalLines(source).flatMap(({ code }) => code.split(STATEMENT));
  const others = statements.filter((statement) => !addImport(statement, modules, found));
  for (const statement of others) addUses(statement, modules, found);
}

/** Adds the text literals. The constant parts of a formatted text count, and so do the texts inside of it. */
function addTexts(source: string, found: NameCollector, nesting: number): void {
  for (const { prefix, body } of stringsOf(source)) {
    const parts = /[ft]/.test(prefix) ? formatted(body) : { texts: [body], code: [] };
    for (const part of parts.texts) {
      const text = prefix.includes('r') ? part : unescaped(part);
      if (!mayCallTools(text)) found.text(text);
      else if (nesting > 0) addNames(text, found, nesting - 1);
      const server = SERVER_MODULE.exec(text)?.[1];
      if (server !== undefined) found.passed(server);
    }
    if (nesting > 0) for (const code of parts.code) addTexts(code, found, nesting - 1);
  }
}

/** Returns the constant parts of a formatted text, and the code between them. */
function formatted(body: string): { readonly texts: readonly string[]; readonly code: readonly string[] } {
  const texts = [''];
  const code: string[] = [];
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const character = body[at] ?? '';
    const isDouble = depth === 0 && '{}'.includes(character) && body[at + 1] === character;
    if (isDouble) at++;
    if (character === '{' && !isDouble && depth++ === 0) code.push('');
    else if (character === '}' && !isDouble) {
      if (depth > 0 && --depth === 0) texts.push('');
    } else {
      const parts = depth === 0 ? texts : code;
      parts[parts.length - 1] += character;
    }
  }
  return { texts, code };
}

function unescaped(text: string): string {
  return text.replaceAll(ESCAPE, (_all, plain?: string, byte?: string, unit?: string) => {
    const digits = byte ?? unit;
    return digits === undefined ? (plain ?? '\n') : String.fromCharCode(Number.parseInt(digits, 16));
  });
}

/** Adds the imports of server modules. Returns whether the statement is an import. */
function addImport(statement: string, modules: Map<string, string>, found: NameCollector): boolean {
  const [, server, names] = IMPORT_NAMES.exec(statement) ?? [];
  if (names !== undefined) {
    for (const [name, local] of imported(names)) {
      if (server === undefined) modules.set(local, name);
      else if (name === '*') found.passed(server);
      else found.function(server, name);
    }
    return true;
  }
  const listed = IMPORT_MODULES.exec(statement)?.[1];
  if (listed === undefined) return false;
  for (const [path, local] of imported(listed)) {
    const imported = SERVER_MODULE.exec(path.replaceAll(/\s/g, ''))?.[1];
    if (imported !== undefined && local !== path) modules.set(local, imported);
  }
  return true;
}

function imported(list: string): [name: string, local: string][] {
  return list.split(',').flatMap((part): [string, string][] => {
    const [, name, local] = IMPORTED.exec(part) ?? [];
    return name === undefined ? [] : [[name, local ?? name]];
  });
}

/** Adds the members that a statement reads from modules of servers, and from other values. */
function addUses(statement: string, modules: ReadonlyMap<string, string>, found: NameCollector): void {
  const membersOf = (code: string) => [...code.matchAll(MEMBER)].map(([, name = '']) => name);
  for (const name of membersOf(statement)) found.member(name);
  for (const [, first = '', rest = ''] of statement.matchAll(CHAIN)) {
    const members = membersOf(rest);
    const path = first === 'servers' ? members : [modules.get(first), ...members];
    const [server, name] = path;
    if (server === undefined) continue;
    if (name === undefined) found.passed(server);
    else found.function(server, name);
  }
}
