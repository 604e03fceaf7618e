import type { Expression } from 'oxc-parser';
import { SandboxError } from '../../errors.ts';
import type { ModuleOptions } from '../language.ts';
import { withoutFence } from '../markdown-fence.ts';
import { GUEST_MODULES } from './guest-modules.ts';
import { type ProgramStatement, parseProgram } from './parse.ts';
import { applyEdits, type Edit, RESULT_NAME, readShape } from './shape.ts';

/** A constant of a program that can become a parameter. */
interface Constant {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const SHEBANG = /^\uFEFF?#!.*/;
const SPECIFIER = /(['"])([^'"]+)\1(?=[^'"]*$)/;

/** Converts a TypeScript or JavaScript program to a module: see `Language.moduleOf`. */
export function typescriptModule(program: string, { description, parameters }: ModuleOptions): string {
  const source = withoutFence(program).replace(SHEBANG, '');
  const parsed = parseProgram(source);
  const shape = readShape(source, parsed);
  const constants = parsed.body.flatMap(constantOf);
  const removed = Object.keys(parameters).map((name) => findConstant(name, constants));
  const edits: Edit[] = [...shape.edits, ...removed.map(({ start, end }) => ({ start, end, text: '' }))];
  if (shape.lastExpression) {
    const { start, end } = shape.lastExpression;
    edits.push({ start, end: start, text: 'return (' }, { start: end, end, text: ')' });
  }
  const code = applyEdits(source, edits);
  const hasResult = code.includes(`${RESULT_NAME} = `);
  const lines = [
    ...shape.imports.map(absoluteImport),
    ...(shape.imports.length > 0 ? [''] : []),
    `/** ${description.replaceAll(/\s+/g, ' ').replaceAll('*/', '*\\/').trim()} */`,
    `export default async function main(${parametersText(parameters)}) {`,
    ...(hasResult ? [`let ${RESULT_NAME};`] : []),
    code.trim(),
    ...(hasResult ? [`return ${RESULT_NAME};`] : shape.defaultName ? [`return ${shape.defaultName};`] : []),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns the constant of a statement such as `const city = 'Berlin'`, which declares nothing else. */
function constantOf(node: ProgramStatement): Constant[] {
  const [declarator, ...others] = node.type === 'VariableDeclaration' ? node.declarations : [];
  if (!declarator?.init || others.length > 0 || declarator.id.type !== 'Identifier') return [];
  return isPlain(declarator.init) ? [{ name: declarator.id.name, start: node.start, end: node.end }] : [];
}

function findConstant(name: string, constants: readonly Constant[]): Constant {
  const found = constants.filter((constant) => constant.name === name);
  if (found.length === 1 && found[0]) return found[0];
  const known = constants.map((constant) => constant.name).join(', ') || 'none';
  const message = `The program has no constant "${name}" with a plain value at its top level that could be a parameter. It has: ${known}.`;
  throw new SandboxError('INVALID_ARGUMENTS', message);
}

/** Returns whether an expression is a literal value: text, numbers, and lists and objects of them. */
function isPlain(node: Expression | { readonly type: 'SpreadElement' }): boolean {
  if (node.type === 'ParenthesizedExpression') return isPlain(node.expression);
  if (node.type === 'Literal') return true;
  if (node.type === 'TemplateLiteral') return node.expressions.length === 0;
  if (node.type === 'UnaryExpression') return node.argument.type === 'Literal';
  if (node.type === 'ArrayExpression') return node.elements.every((element) => element !== null && isPlain(element));
  if (node.type !== 'ObjectExpression') return false;
  return node.properties.every(
    (property) => property.type === 'Property' && !property.computed && !property.method && isPlain(property.value),
  );
}

function parametersText(parameters: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(parameters);
  if (entries.length === 0) return '';
  const names = entries.map(([name, value]) => `${name} = ${JSON.stringify(value) ?? 'undefined'}`);
  const types = entries.map(([name, value]) => `${name}?: ${typeOf(value)}`);
  return `{ ${names.join(', ')} }: { ${types.join('; ')} } = {}`;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) {
    const types = new Set(value.map(typeOf));
    return types.size === 1 ? `${[...types][0]}[]` : 'unknown[]';
  }
  if (value === null) return 'unknown';
  return typeof value === 'object' ? 'Record<string, unknown>' : typeof value;
}

/** Returns an import with an absolute path: the folder of a skill is not that of its program, in any session. */
function absoluteImport(statement: string): string {
  return `${statement.replace(SPECIFIER, (all, quote: string, specifier: string) => {
    if (GUEST_MODULES.has(specifier.replace(/^node:/, ''))) return all;
    const path = new URL(specifier, 'file:///').pathname;
    if (/^\.{0,2}\//.test(specifier) && /^\/(?:servers|skills)\//.test(path)) return `${quote}${path}${quote}`;
    const message = `The program imports "${specifier}", which other sessions do not have. Save the skill with its files instead.`;
    throw new SandboxError('INVALID_ARGUMENTS', message);
  })}`.replace(/;?$/, ';');
}
