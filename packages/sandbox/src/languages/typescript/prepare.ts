import type { TransformFailure, TransformOptions } from 'esbuild';
import { visitorKeys } from 'oxc-parser';
import { SandboxError } from '../../errors.ts';
import type { PrepareOptions } from '../language.ts';
import { blank, withoutFence } from '../markdown-fence.ts';
import { asEsModule } from './commonjs.ts';
import { computedEdits } from './computed/computed.ts';
import { namesOf } from './names.ts';
import { allNodes, isNode, type Node, type ParsedProgram, parseProgram, positionAt } from './parse.ts';
import { passesData, reportsReads } from './passes-data.ts';
import { type PreparedText, RETURN_OPEN, type Shift } from './prepared-text.ts';
import { mixedLanguages } from './recognition.ts';
import { applyEdits, type Edit, type ProgramShape, RESULT_NAME, readShape } from './shape.ts';

/** The first line of a script. */
export const SHEBANG = /^\uFEFF?#!.*/;
const STRIP: TransformOptions = { loader: 'ts', format: 'esm', target: 'es2023', logLevel: 'silent', logLimit: 1 };

/** Decorators and accessors: the compiler renames their classes, and `name` would show it. */
const RENAMES_CLASSES = /@[\w$(]|\baccessor\s/;

/** Only source text with such digits can have a whole number beyond 2⁵³. */
const MANY_DIGITS = /\d[\d_]{15}|0[xob][\da-f_]{12}/i;
/** A literal without a fraction and an exponent. */
const INTEGER = /^(?:[1-9]\d*|0x[\da-f]+|0o[0-7]+|0b[01]+)$/i;
/** Digits of the largest number of JavaScript, in base 2. */
const MAX_DIGITS = 1_024;
const SHOWN_DIGITS = 60;

/** The text before a program whose top-level values a session keeps. `guest/javascript/kept` reads it. */
interface KeptPrelude {
  /** Exports the names that the program uses and does not declare: they may be kept values. */
  readonly exports: string;
  /** Passes a function for each top-level name to the guest, which calls them at the end. */
  readonly start: string;
}

/** The parameter of the program's function. */
const KEEP_NAME = '__toolwright_keep';
const NAMES_NAME = '__toolwright_names';
/** Names that Toolwright inserts into a watched program. They are no kept values. */
const INSERTED = /^__toolwright_/;

type Add = (name: string, entry: string) => void;

/** Prepares a TypeScript or JavaScript program: see `Language.prepare`. */
export async function prepareTypescript(
  text: string,
  { keeps = false, isPlain = false }: PrepareOptions = {},
): Promise<PreparedText> {
  const source = withoutFence(text).replace(SHEBANG, blank);
  const parsed = parseProgram(source);
  if (parsed.problem) throw mixedProblem(source, parsed.problem);
  requireExactLiterals(source, parsed);
  const shape = readShape(source, parsed);
  const passes = passesData(parsed);
  const reports = !isPlain && !passes && reportsReads(parsed);
  const edits = bodyEdits(shape, isPlain || passes ? [] : computedEdits(source, parsed, reports));
  const wrapped = wrap(applyEdits(source, edits), shape, keeps ? keptPrelude(parsed) : undefined);
  const facts = {
    source: source === text ? undefined : source,
    namespaces: [...shape.namespaces],
    names: namesOf(parsed),
    passesData: passes,
    reportsReads: reports,
    shifts: shiftsOf(source, edits),
  };
  if (shape.dialect === 'javascript') return { ...facts, code: wrapped };
  const { code, map } = await strip(wrapped, 'program.ts', -1, {
    loader: shape.dialect === 'newer' ? 'js' : 'ts',
    keepNames: RENAMES_CLASSES.test(source),
    sourcemap: 'external',
    sourcesContent: false,
  });
  return { ...facts, code, map };
}

/** Returns the error of a text that cannot be read. */
function mixedProblem(source: string, problem: SandboxError): SandboxError {
  const message = mixedLanguages(source);
  return message === undefined ? problem : new SandboxError('SYNTAX', message, { details: problem.details });
}

/** Removes the types of a module, and converts CommonJS: see `Language.prepareModule`. */
export async function prepareTypescriptModule(source: string, path: string): Promise<string> {
  const { code } = await strip(asEsModule(source), path, 0, {});
  if (!mayBeInexact(source)) return code;
  const parsed = parseProgram(source);
  if (parsed.problem === undefined) requireExactLiterals(source, parsed, path);
  return code;
}

/** Returns the edits of a program. Of those at one place, the first is outside at its start, and the last at its end. */
function bodyEdits({ lastExpression, edits }: ProgramShape, computed: readonly Edit[]): Edit[] {
  if (!lastExpression) return [...computed, ...edits];
  const { start, end } = lastExpression;
  return [{ start, end: start, text: RETURN_OPEN }, ...computed, ...edits, { start: end, end, text: ')' }];
}

function shiftsOf(source: string, edits: readonly Edit[]): Shift[] {
  const moving = edits.filter(({ start, end, text }) => text.length !== end - start);
  return moving
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map(({ start, end, text }) => ({ ...positionAt(source, start), removed: end - start, added: text.length }));
}

/** Adds one line before the program, so that every line of the author keeps its columns. */
function wrap(body: string, shape: ProgramShape, kept?: KeptPrelude): string {
  const result = shape.defaultName ?? RESULT_NAME;
  const head =
    kept === undefined
      ? 'export default async () => {'
      : `${kept.exports}export default async (${KEEP_NAME}) => { ${kept.start}`;
  return `${shape.imports.join(';')};${head} let ${RESULT_NAME};\n${body}\nreturn ${result};}`;
}

async function strip(source: string, path: string, lineOffset: number, options: TransformOptions) {
  // Only TypeScript needs the compiler.
  const { transform } = await import('esbuild');
  try {
    return await transform(source, { ...STRIP, ...options, sourcefile: path });
  } catch (error) {
    const first = (error as Partial<TransformFailure>).errors?.[0];
    if (!first) throw error;
    const line = (first.location?.line ?? 1) + lineOffset;
    const column = (first.location?.column ?? 0) + 1;
    throw new SandboxError('SYNTAX', `${first.text} at line ${line}, column ${column} of ${path}`, {
      details: { line, column },
    });
  }
}

/** Returns whether source text may have a literal that {@link requireExactLiterals} refuses. */
function mayBeInexact(source: string): boolean {
  return MANY_DIGITS.test(source);
}

/**
 * Raises `SYNTAX` for a whole number that JavaScript reads as another one: 1917043659912705296 would be 1917043659912705300. A module, which
 * has a `path`, may be the output of a tool: its numbers may have the digits that JavaScript prints.
 */
function requireExactLiterals(source: string, { body }: ParsedProgram, path?: string): void {
  if (!mayBeInexact(source)) return;
  for (const node of allNodes(body)) {
    if (node.type === 'Literal' && typeof node.value === 'number') {
      const digits = String(node.raw).replaceAll('_', '');
      const isPrinted = path !== undefined && digits === String(node.value);
      if (INTEGER.test(digits) && !isPrinted && isAnother(digits, node.value)) {
        const { line, column } = positionAt(source, Number(node.start));
        const place = `line ${line}, column ${column}${path === undefined ? '' : ` of ${path}`}`;
        throw new SandboxError('SYNTAX', messageFor(digits, node.value, place), { details: { line, column } });
      }
    }
  }
}

function isAnother(digits: string, value: number): boolean {
  // The conversion of a million digits takes long.
  if (digits.length > MAX_DIGITS || !Number.isFinite(value)) return true;
  return BigInt(digits) !== BigInt(value);
}

function messageFor(digits: string, value: number, place: string): string {
  const isLong = digits.length > SHOWN_DIGITS;
  const shown = isLong ? `${digits.slice(0, SHOWN_DIGITS)}… (${digits.length} characters)` : digits;
  const changed = String(value) === digits && Number.isFinite(value) ? BigInt(value) : value;
  const forms = isLong ? 'as text or as a BigInt' : `as text ("${digits}") or as a BigInt (${digits}n)`;
  return `The number ${shown} at ${place} is beyond 2^53, and JavaScript would change it to ${changed}. Write its digits ${forms}.`;
}

/** Returns the text before a program, in one line. */
function keptPrelude({ body }: ParsedProgram): KeptPrelude {
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
