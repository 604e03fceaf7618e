import type { Expression, Function as FunctionNode, ObjectExpression } from 'oxc-parser';
import { type ProgramStatement, parseProgram } from './parse.ts';

/** An export of a CommonJS module: its name, and its value. */
interface CommonJsExport {
  readonly name: string;
  readonly value: Expression | FunctionNode;
}

const USES_EXPORTS = /\bmodule\s*\.\s*exports\b|\bexports\s*\.\s*\w/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** Names before the exports of a converted module. */
const PREFIX = '__export_';

/**
 * Converts a CommonJS module to an ES module: `module.exports` is its default export, and the members of it that the text names are
 * exports. Returns any other text unchanged.
 */
export function asEsModule(source: string): string {
  const exports = commonJsExports(source);
  if (!exports) return source;
  const names = exports.map(({ name }) => name).filter((name) => name !== 'default');
  const named = names.map((name) => {
    const isWhole = exports[0]?.name === 'default' && nameOf(exports[0].value) === name;
    return `const ${PREFIX}${name} = ${isWhole ? 'module.exports' : `module.exports.${name}`}; export { ${PREFIX}${name} as ${name} };`;
  });
  return `const module = { exports: {} }, exports = module.exports;${source}\nexport default module.exports;\n${named.join('\n')}`;
}

/** Returns a text whose exports the reader of functions finds, and which is only read: a CommonJS module with its exports at the end. */
export function withReadableExports(source: string): string {
  const lines = commonJsExports(source)?.map(({ name, value }) => {
    const own = source.slice(value.start, value.end);
    if (value.type === 'Identifier') return `export { ${own} as ${name} };`;
    // The value of a method starts at its parameters.
    const text = own.startsWith('(') && value.type === 'FunctionExpression' ? `function ${own}` : own;
    return name === 'default'
      ? `export default ${text};`
      : `export const ${PREFIX}${name} = ${text};export { ${PREFIX}${name} as ${name} };`;
  });
  return [source, ...(lines ?? [])].join('\n');
}

/** Returns the exports of a CommonJS module, `default` first; undefined for any other text. */
function commonJsExports(source: string): CommonJsExport[] | undefined {
  if (!USES_EXPORTS.test(source)) return undefined;
  const { body, problem } = parseProgram(source);
  if (problem || body.some(({ type }) => /^(?:Import|Export)/.test(type))) return undefined;
  const found = new Map<string, CommonJsExport['value']>();
  for (const [name, value] of body.flatMap(assignmentOf)) {
    if (name !== 'default') found.set(name, value);
    else for (const entry of wholeExports(value)) found.set(...entry);
  }
  return [...found].map(([name, value]) => ({ name, value })).sort((a, b) => rank(a) - rank(b));
}

function rank({ name }: CommonJsExport): number {
  return name === 'default' ? 0 : 1;
}

/** Returns the name and the value of a statement such as `module.exports = f` (`default`) or `exports.f = f`. */
function assignmentOf(node: ProgramStatement): [string, Expression][] {
  if (node.type !== 'ExpressionStatement' || node.expression.type !== 'AssignmentExpression') return [];
  const { left, right } = node.expression;
  if (left.type !== 'MemberExpression' || left.computed) return [];
  const member = left.property.name;
  if (isModuleExports(left)) return [['default', right]];
  const isOwn = isModuleExports(left.object) || (left.object.type === 'Identifier' && left.object.name === 'exports');
  return isOwn && IDENTIFIER.test(member) ? [[member, right]] : [];
}

function isModuleExports(node: Expression): boolean {
  return (
    node.type === 'MemberExpression' &&
    !node.computed &&
    node.property.name === 'exports' &&
    node.object.type === 'Identifier' &&
    node.object.name === 'module'
  );
}

/** Returns the exports of `module.exports = value`: a function also under its own name, an object as its members. */
function wholeExports(value: Expression): [string, CommonJsExport['value']][] {
  if (value.type === 'ObjectExpression') return membersOf(value);
  const name = nameOf(value);
  return [['default', value], ...(name === undefined ? [] : ([[name, value]] as [string, Expression][]))];
}

function membersOf(value: ObjectExpression): [string, Expression][] {
  return value.properties.flatMap((property): [string, Expression][] =>
    property.type === 'Property' && !property.computed && property.key.type === 'Identifier'
      ? [[property.key.name, property.value]]
      : [],
  );
}

function nameOf(value: Expression | FunctionNode): string | undefined {
  if (value.type === 'Identifier') return value.name;
  return value.type === 'FunctionExpression' ? (value.id?.name ?? undefined) : undefined;
}
