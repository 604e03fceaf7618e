import { propertyKey, sourceString } from '../../../text.ts';
import type { Shape } from '../../schema/shape.ts';
import { countedValues, type TypeMember, type TypeSyntax } from '../types.ts';

/** The common part of both syntaxes. */
const COMMON: Omit<TypeSyntax, 'object' | 'manyValues'> = {
  anything: 'unknown',
  nothing: 'never',
  bareArray: 'unknown[]',
  empty: '{}',
  primitive: (type) => (type === 'integer' ? 'number' : type),
  digits: 'string',
  literals: (values) => union([...new Set(values.map(literal))]),
  union,
  intersection: (members) => members.map(parenthesised).join(' & '),
  array(first, rest) {
    if (first.length === 0) return `${parenthesised(rest ?? 'unknown')}[]`;
    // In JSON Schema a tuple may be shorter than its prefix, so its elements are optional.
    const elements = first.map((element) => `${parenthesised(element)}?`);
    return `[${[...elements, ...(rest === undefined ? [] : [`...(${rest})[]`])].join(', ')}]`;
  },
  dictionary: (value) => (value === undefined ? 'object' : `{[key: string]: ${value}}`),
};

/** TypeScript types on one line, for a model. `…` marks omitted parts. */
export const TYPESCRIPT_LINE: TypeSyntax = {
  ...COMMON,
  manyValues: countedValues,
  object(members, more) {
    const rest = more === 'none' ? [] : [more === 'hidden' ? '…' : '[key: string]: unknown'];
    return `{${[...members.map(member), ...rest].join(', ')}}`;
  },
};

/** Returns the syntax of compilable TypeScript types, with one line and one comment per property. */
export function typescriptBlock(comment: (property: Shape, indent: string) => string): TypeSyntax {
  return {
    ...COMMON,
    // Compilable: the type of the values.
    manyValues: (values) => union([...new Set(values.map(kindOf))]),
    empty: '{ [key: string]: never }',
    dictionary: (value) => (value === undefined ? '{ [key: string]: unknown }' : `{[key: string]: ${value}}`),
    object(members, more, { indent }) {
      const inner = `${indent}  `;
      const lines = members.map((held) => `${comment(held.shape, inner)}${member(held)}`);
      if (more !== 'none') lines.push(more === 'hidden' ? '[more: string]: unknown' : '[key: string]: unknown');
      return `{\n${lines.map((line) => `${inner}${line};`).join('\n')}\n${indent}}`;
    },
  };
}

/** Returns a member of an object type: `name?: string`. */
export function member({ name, required, type }: TypeMember): string {
  return `${propertyKey(name)}${required ? '' : '?'}: ${type}`;
}

function literal(value: unknown): string {
  if (typeof value === 'string') return sourceString(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'number';
  if (typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'unknown[]' : 'object';
}

function kindOf(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? typeof value : literal(value);
}

function union(members: readonly string[]): string {
  return members.join(members.every((text) => /^"[^"]*"$|^…$/.test(text)) ? '|' : ' | ');
}

function parenthesised(text: string): string {
  return isCompound(text) ? `(${text})` : text;
}

/** Returns whether a type contains `|` or `&` outside brackets and quotes. */
function isCompound(text: string): boolean {
  const outside = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  let depth = 0;
  for (const character of outside) {
    if ('{[('.includes(character)) depth++;
    else if ('}])'.includes(character)) depth--;
    else if (depth === 0 && (character === '|' || character === '&')) return true;
  }
  return false;
}
