import { sourceString } from '../../../text.ts';
import type { TypeName } from '../../schema/shape.ts';
import { propertyText } from '../descriptions.ts';
import { countedValues, type TypeMember, type TypeSyntax } from '../types.ts';
import { isIdentifier } from './names.ts';
import { comment } from './text.ts';

const PRIMITIVES: Readonly<Record<Exclude<TypeName, 'object' | 'array'>, string>> = {
  string: 'str',
  number: 'float',
  integer: 'int',
  boolean: 'bool',
  null: 'None',
};
/** A key with one of these names would change the meaning of the types of the keys after it. */
const TYPE_WORDS: ReadonlySet<string> = new Set(
  'str int float bool list dict Any Literal Never NotRequired'.split(' '),
);

/** Python types on one line, for a model. `{"number": int}` is a dict with this key. */
export const PYTHON_LINE: TypeSyntax = {
  anything: 'Any',
  nothing: 'Never',
  bareArray: 'list',
  empty: 'dict',
  primitive: (type) => PRIMITIVES[type],
  literals: (values) => union([...new Set(values.map(literal))]),
  manyValues: countedValues,
  union,
  array(first, rest) {
    const element = elementType(first, rest);
    return element === 'Any' ? 'list' : `list[${element}]`;
  },
  dictionary: (value) => (value === undefined ? 'dict' : `dict[str, ${value}]`),
  object(members, more) {
    const keys = members.map((member) => `${sourceString(member.name)}: ${valueType(member)}`);
    return `{${[...keys, ...(more === 'hidden' ? ['**more'] : [])].join(', ')}}`;
  },
};

/** Returns the syntax of Python types in a stub file. Objects are classes: `declare` receives the source and returns the name. */
export function pythonStub(
  declare: (path: readonly string[], classSource: (name: string) => string) => string,
): TypeSyntax {
  return {
    ...PYTHON_LINE,
    bareArray: 'list[Any]',
    empty: 'dict[str, Never]',
    literals: stubLiterals,
    manyValues: (values) => union([...new Set(values.map(valueKind))]),
    array: (first, rest) => `list[${elementType(first, rest)}]`,
    dictionary: (value) => `dict[str, ${value ?? 'Any'}]`,
    object: (members, more, { path }) => declare(path, (name) => typedDict(name, members, more)),
  };
}

/** Returns the type with `| None`, unless it contains None already. */
export function orNone(type: string): string {
  return type === 'Any' || /(?:^|\| )None$/.test(type) ? type : `${type} | None`;
}

function typedDict(name: string, members: readonly TypeMember[], more: 'none' | 'hidden' | 'allowed'): string {
  // If all keys are optional, the class is marked once, else each key.
  const total = members.some(({ required }) => required);
  const end = more === 'none' ? '' : '    # and more keys\n';
  const typed = (member: TypeMember) => (total ? valueType(member) : member.type);
  if (members.every(({ name: key }) => isIdentifier(key) && !key.startsWith('__') && !TYPE_WORDS.has(key))) {
    const keys = members.map((member) => `${described(member)}    ${member.name}: ${typed(member)}\n`);
    return `class ${name}(TypedDict${total ? '' : ', total=False'}):\n${keys.join('')}${end}`;
  }
  const keys = members.map((member) => `${described(member)}    ${sourceString(member.name)}: ${typed(member)},\n`);
  return `${name} = TypedDict("${name}", {\n${keys.join('')}${end}}${total ? '' : ', total=False'})\n`;
}

function described({ shape }: TypeMember): string {
  return comment(propertyText(shape), '    ');
}

function valueType({ required, type }: TypeMember): string {
  return required ? type : `NotRequired[${type}]`;
}

function elementType(first: readonly string[], rest: string | undefined): string {
  const all = [...new Set([...first, ...(rest === undefined ? [] : [rest])])];
  return all.includes('Any') ? 'Any' : union(all);
}

function literal(value: unknown): string {
  if (typeof value === 'string') return sourceString(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'float';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : Array.isArray(value) ? 'list' : 'dict';
}

/** `Literal` accepts strings, integers and booleans. Other values are written as their type. */
function stubLiterals(values: readonly unknown[]): string {
  const fits = (value: unknown) => /^(?:string|boolean)$/.test(typeof value) || Number.isSafeInteger(value);
  const fitting = [...new Set(values.filter(fits).map(literal))];
  const types = values.filter((value) => !fits(value)).map(valueKind);
  const members = [...(fitting.length > 0 ? [`Literal[${fitting.join(', ')}]`] : []), ...types];
  return union([...new Set(members)]);
}

function valueKind(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' ? 'float' : Array.isArray(value) ? 'list[Any]' : 'dict[str, Any]';
}

/** Joins types, None last. Strings are joined without spaces. */
function union(members: readonly string[]): string {
  const ordered = [...members.filter((text) => text !== 'None'), ...members.filter((text) => text === 'None')];
  return ordered.join(ordered.every((text) => /^"[^"]*"$|^\.\.\.$/.test(text)) ? '|' : ' | ');
}
