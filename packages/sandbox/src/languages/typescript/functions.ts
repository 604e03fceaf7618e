import {
  type ArrowFunctionExpression,
  type Function as FunctionNode,
  type ParamPattern,
  type ParserOptions,
  parseSync,
  type Span,
  type Statement,
  type TSSignature,
  type TSType,
} from 'oxc-parser';
import type { ModuleFunction, ModuleParameter } from '../language.ts';
import { withReadableExports } from './commonjs.ts';

type Body = ReturnType<typeof parseSync>['program']['body'];
type Callable = FunctionNode | ArrowFunctionExpression;
/** A type that the module declares: an alias, or the members of an interface. */
type OwnType = TSType | readonly TSSignature[];

interface Names {
  readonly source: string;
  readonly types: ReadonlyMap<string, OwnType>;
}

type Declared = Statement | Extract<Body[number], { type: 'ExportDefaultDeclaration' }>['declaration'] | null;

/** Names of an only parameter that mean an object of all arguments, even if its type is unknown. */
const OBJECT_NAMES = /^(?:args|arguments|input|inputs|options|opts|params|parameters)$/;
const PROMISE = /^Promise<([\s\S]*)>$/;
/** Maximum length of a type that replaces its name. */
const MAX_TYPE_CHARACTERS = 200;

/** Returns the functions that a TypeScript or JavaScript module exports; none if it cannot be parsed. */
export function typescriptFunctions(text: string): readonly ModuleFunction[] {
  const source = withReadableExports(text);
  const body = parse(source, 'ts') ?? parse(source, 'js');
  return body ? exportedFunctions(source, body) : [];
}

function parse(source: string, lang: NonNullable<ParserOptions['lang']>): Body | undefined {
  const { errors, program } = parseSync(`module.${lang}`, source, { lang, sourceType: 'module' });
  return errors.length > 0 ? undefined : program.body;
}

function exportedFunctions(source: string, body: Body): ModuleFunction[] {
  const functions = new Map<string, Callable>();
  const types = new Map<string, OwnType>();
  const exported = new Map<string, Callable | string>();
  const declare = (node: Declared, isExported: boolean): void => {
    for (const [name, callable] of callables(node)) {
      functions.set(name, callable);
      if (isExported) exported.set(name, callable);
    }
    if (node?.type === 'TSInterfaceDeclaration') types.set(node.id.name, node.body.body);
    if (node?.type === 'TSTypeAliasDeclaration') types.set(node.id.name, node.typeAnnotation);
  };
  for (const node of body) {
    if (node.type === 'ExportDefaultDeclaration') {
      const { declaration } = node;
      declare(declaration, false);
      if (declaration.type === 'Identifier') exported.set('default', declaration.name);
      else if (isCallable(declaration)) exported.set('default', declaration);
    } else if (node.type === 'ExportNamedDeclaration') {
      declare(node.declaration, true);
      for (const { local, exported: name } of node.source ? [] : node.specifiers) {
        if (local.type === 'Identifier') exported.set('name' in name ? name.name : name.value, local.name);
      }
    } else declare(node, false);
  }
  return [...exported].flatMap(([name, target]) => {
    const callable = typeof target === 'string' ? functions.get(target) : target;
    return callable ? [describe(name, callable, { source, types })] : [];
  });
}

function callables(node: Declared): [string, Callable][] {
  if (node && isCallable(node) && node.id) return [[node.id.name, node]];
  if (node?.type !== 'VariableDeclaration') return [];
  return node.declarations.flatMap(({ id, init }): [string, Callable][] =>
    id.type === 'Identifier' && init && isCallable(init) ? [[id.name, init]] : [],
  );
}

function isCallable(node: { readonly type: string }): node is Callable {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
}

function describe(name: string, callable: Callable, names: Names): ModuleFunction {
  const { params, returnType } = callable;
  const written = returnType ? textOf(returnType.typeAnnotation, names) : undefined;
  const result = written?.replace(PROMISE, '$1') ?? resultOf(callable, names);
  const members = params.length === 1 && params[0] ? objectMembers(params[0], names) : undefined;
  return {
    name,
    parameters: members ?? params.flatMap((parameter) => parameterOf(parameter, names)),
    takesObject: members !== undefined,
    result: result === undefined || result === 'void' ? undefined : result,
  };
}

/** Returns the members of a function's only parameter if that is an object of arguments. */
function objectMembers(parameter: ParamPattern, names: Names): ModuleParameter[] | undefined {
  const target = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
  if (target.type !== 'ObjectPattern' && target.type !== 'Identifier') return undefined;
  const members = target.typeAnnotation ? typeMembers(target.typeAnnotation.typeAnnotation, names) : undefined;
  if (members) return members;
  if (target.type === 'Identifier') return OBJECT_NAMES.test(target.name) ? [] : undefined;
  return target.properties.flatMap((property): ModuleParameter[] => {
    if (property.type === 'RestElement') return [];
    const name = keyOf(property.key, names);
    if (property.value.type !== 'AssignmentPattern') return [{ name, isOptional: parameter !== target }];
    return [{ name, isOptional: true, ...typed(valueType(property.value.right, names)) }];
  });
}

function typeMembers(type: TSType, names: Names): ModuleParameter[] | undefined {
  const own = type.type === 'TSTypeReference' && !type.typeArguments && nameOf(type.typeName);
  const named = own ? names.types.get(own) : undefined;
  // Resolves one level of aliases only: types may be circular.
  const literal = named && !isMembers(named) ? named : type;
  const members = named && isMembers(named) ? named : literal.type === 'TSTypeLiteral' ? literal.members : undefined;
  return members?.flatMap((member): ModuleParameter[] => {
    if (member.type !== 'TSPropertySignature') return [];
    const text = member.typeAnnotation ? textOf(member.typeAnnotation.typeAnnotation, names) : undefined;
    return [{ name: keyOf(member.key, names), isOptional: member.optional === true, ...typed(text) }];
  });
}

function parameterOf(parameter: ParamPattern, names: Names): ModuleParameter[] {
  if (parameter.type === 'RestElement' || parameter.type === 'TSParameterProperty') return [];
  const hasDefault = parameter.type === 'AssignmentPattern';
  const target = hasDefault ? parameter.left : parameter;
  const annotation = target.typeAnnotation ? textOf(target.typeAnnotation.typeAnnotation, names) : undefined;
  const type = annotation ?? (hasDefault ? valueType(parameter.right, names) : undefined);
  const isOptional = hasDefault || Boolean(target.optional);
  return [{ name: target.type === 'Identifier' ? target.name : 'value', isOptional, ...typed(type) }];
}

/** Returns a type as written. Short types of the module replace their names, one level deep. */
function textOf(type: Span, names: Names): string {
  const text = oneLine(names.source.slice(type.start, type.end));
  return text.replaceAll(/\b[A-Z]\w*\b/g, (name) => {
    const own = names.types.get(name);
    if (!own) return name;
    const parts = isMembers(own) ? own : [own];
    const written = parts.map(({ start, end }) => oneLine(names.source.slice(start, end)).replace(/[;,]$/, ''));
    const whole = isMembers(own) ? `{${written.join(', ')}}` : (written[0] ?? name);
    return whole.length > MAX_TYPE_CHARACTERS || /[|&]/.test(whole.replaceAll(/\{[^}]*\}/g, '')) ? name : whole;
  });
}

/** Returns the type of a literal value. */
function valueType(value: Span & { readonly type: string }, names: Names): string | undefined {
  if (value.type === 'ParenthesizedExpression' && 'expression' in value) {
    return valueType(value.expression as typeof value, names);
  }
  if (value.type === 'Literal') {
    const text = names.source.slice(value.start, value.end);
    if (/^['"]/.test(text)) return 'string';
    if (/^(?:true|false)$/.test(text)) return 'boolean';
    return /^[\d.]/.test(text) ? 'number' : undefined;
  }
  if (value.type === 'UnaryExpression') return 'number';
  if (value.type === 'TemplateLiteral') return 'string';
  if (value.type === 'ArrayExpression') return 'unknown[]';
  return value.type === 'ObjectExpression' ? 'object' : undefined;
}

/** Returns the result type of a function that is one expression, if its text shows the type. */
function resultOf({ body }: Callable, names: Names): string | undefined {
  if (body?.type !== 'BlockStatement') return body ? valueType(body, names) : undefined;
  const last = body.body.at(-1);
  return body.body.length === 1 && last?.type === 'ReturnStatement' && last.argument
    ? valueType(last.argument, names)
    : undefined;
}

function nameOf(node: { readonly type: string }): string | undefined {
  return node.type === 'Identifier' && 'name' in node ? String(node.name) : undefined;
}

function isMembers(type: OwnType): type is readonly TSSignature[] {
  return Array.isArray(type);
}

function keyOf(key: Span, { source }: Names): string {
  return source.slice(key.start, key.end).replaceAll(/^['"]|['"]$/g, '');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\{ /g, '{').replaceAll(/;? \}/g, '}').replaceAll('; ', ', ').trim();
}

function typed(type: string | undefined): { type?: string } {
  return { type };
}
