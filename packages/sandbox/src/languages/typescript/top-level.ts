import { visitorKeys } from 'oxc-parser';
import { isNode, type Node, type ParsedProgram } from './parse.ts';

/** The text before a program whose top-level values a session keeps. `guest/javascript/kept` reads it. */
export interface KeptPrelude {
  /** Exports the names that the program uses and does not declare: they may be kept values. */
  readonly exports: string;
  /** Passes a function for each top-level name to the guest, which calls them at the end. */
  readonly start: string;
}

/** The parameter of the program's function. */
export const KEEP_NAME = '__toolwright_keep';
const NAMES_NAME = '__toolwright_names';
/** Names that Toolwright inserts into a watched program. They are no kept values. */
const INSERTED = /^__toolwright_/;

/** Returns the text before a program, in one line. */
export function keptPrelude({ body }: ParsedProgram): KeptPrelude {
  const entries: string[] = [];
  const declared = new Set<string>();
  const add = (name: string, entry: string) => {
    declared.add(name);
    // An own property, also for a name such as `__proto__`.
    entries.push(`[${JSON.stringify(name)}]: ${entry}`);
  };
  const statements = (body as readonly unknown[] as readonly Node[]).filter((statement) => !isInserted(statement));
  for (const statement of statements) {
    if (statement.type === 'ImportDeclaration') addImports(statement, add);
    else addDeclared(isNode(statement.declaration) ? statement.declaration : statement, add);
  }
  const used = identifiersOf(statements).filter((name) => !declared.has(name) && !INSERTED.test(name));
  return {
    exports: `export const ${NAMES_NAME} = ${JSON.stringify(used)};`,
    start: `${KEEP_NAME}({${entries.join(', ')}});`,
  };
}

function isInserted({ type, declarations }: Node): boolean {
  return type === 'VariableDeclaration' && INSERTED.test(boundNames((declarations as readonly Node[])[0]?.id)[0] ?? '');
}

type Add = (name: string, entry: string) => void;

function addImports({ source, specifiers, importKind }: Node, add: Add): void {
  if (importKind === 'type') return;
  // A program is at the root.
  const from = String((source as Node).value).replace(/^(?:\.{1,2}\/)+/, '/');
  for (const { type, local, imported, importKind: kind } of (specifiers ?? []) as readonly Node[]) {
    if (kind === 'type') continue;
    const named = isNode(imported) ? String(imported.name ?? imported.value) : undefined;
    const name = named ?? (type === 'ImportDefaultSpecifier' ? 'default' : '*');
    add(String((local as Node).name), `{ from: ${JSON.stringify(from)}, name: ${JSON.stringify(name)} }`);
  }
}

function addDeclared(node: Node, add: Add): void {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
    if (isNode(node.id) && node.declare !== true) add(String(node.id.name), codeEntry(String(node.id.name), node));
  } else if (node.type === 'TSEnumDeclaration') add(nameOf(node.id), `{ get: () => ${nameOf(node.id)} }`);
  else if (node.type === 'VariableDeclaration' && node.declare !== true && !String(node.kind).includes('using')) {
    for (const { id, init } of node.declarations as readonly Node[]) {
      const isCode = isNode(init) && /^(?:ArrowFunction|Function|Class)Expression$/.test(init.type);
      for (const name of boundNames(id)) add(name, isCode ? codeEntry(name, init) : `{ get: () => ${name} }`);
    }
  }
}

function codeEntry(name: string, node: Node): string {
  return `{ get: () => ${name}, needs: ${JSON.stringify(identifiersOf([node]))} }`;
}

function nameOf(id: unknown): string {
  return String((id as Node).name);
}

/** Returns the names that a pattern binds. */
function boundNames(pattern: unknown): string[] {
  if (!isNode(pattern)) return [];
  if (pattern.type === 'Identifier') return [String(pattern.name)];
  const inner: unknown[] = [pattern.argument, pattern.left, pattern.type === 'Property' ? pattern.value : undefined];
  return [...inner, pattern.properties, pattern.elements].flat().flatMap(boundNames);
}

/** Returns all names of variables in code, once each. */
function identifiersOf(nodes: readonly Node[]): string[] {
  const found = new Set<string>();
  const waiting: Node[] = [...nodes];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'Identifier') found.add(String(node.name));
    for (const key of visitorKeys[node.type] ?? []) {
      if ((key === 'property' || key === 'key') && node.computed !== true) continue;
      const child = node[key];
      for (const entry of Array.isArray(child) ? child : [child]) if (isNode(entry)) waiting.push(entry);
    }
  }
  return [...found];
}
