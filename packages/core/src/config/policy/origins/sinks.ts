import type { JsonSchema, Tool } from '@toolwright/connectors';
import { compileGlobs } from '../../../glob.ts';
import type { PolicyConfig, SinkKind } from '../schema.ts';
import { meaningOf, nameWords } from './sink-words.ts';

/** Returns the meaning of an argument of one tool, by the names of the properties on the way to it and its value. */
export type ToolSinks = (names: readonly string[], value?: string | number) => SinkKind;

const MAX_PARAMETERS = 2_000;
const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]+\.[^\s@<>".]{2,}$/;
const URL_TEXT = /^\s*(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.|\/\/[^/\s]+\.)\S*/i;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/**
 * Creates a function that returns the meaning of a tool's parameters: as the configuration defines it, else by names, formats and descriptions. A
 * value that is an address is a receiver or destination also where the parameter seems harmless.
 */
export function sinksFrom(marks: PolicyConfig['sinks'] = []): (tool: Tool) => ToolSinks {
  const compiled = marks.map(({ servers = '*', tools = '*', parameters }) => ({
    isServer: compileGlobs(servers),
    isTool: compileGlobs(tools),
    parameters,
  }));
  return (tool) => {
    const own = compiled.filter(({ isServer, isTool }) => isServer(tool.server) && isTool(tool.id));
    const known = new Map<string, SinkKind>();
    const marked = (names: readonly string[]) => {
      const found = own.find(({ parameters }) => names.some((name) => Object.hasOwn(parameters, name)));
      const name = found && names.findLast((each) => Object.hasOwn(found.parameters, each));
      return name === undefined ? undefined : found?.parameters[name];
    };
    const words = nameWords(tool.definition.name);
    return (names, value) => {
      const chosen = own.length === 0 ? undefined : marked(names);
      if (chosen !== undefined) return chosen;
      const key = names.join('\0');
      let kind = known.get(key);
      if (kind === undefined) {
        kind = kindOf(tool.definition.inputSchema, names, words);
        if (known.size < MAX_PARAMETERS) known.set(key, kind);
      }
      return value === undefined ? kind : withValue(kind, value);
    };
  };
}

function withValue(kind: SinkKind, value: string | number): SinkKind {
  if (typeof value !== 'string' || (kind !== 'setting' && kind !== 'record' && kind !== 'amount')) return kind;
  if (EMAIL.test(value) || IBAN.test(value)) return 'receiver';
  return URL_TEXT.test(value) ? 'destination' : kind;
}

/** An item of a list, and a property that the schema does not describe, have the meaning of the described parameter around them. */
function kindOf(schema: JsonSchema, names: readonly string[], tool: readonly string[]): SinkKind {
  let at: JsonSchema | undefined = schema;
  for (const name of names) at = propertyOf(at, name);
  const described = typeof at === 'object' ? itemOf(at) : {};
  const own = meaningOf({
    names,
    tool,
    type: textOf(described.type),
    format: textOf(described.format),
    description: textOf(described.description),
    isEnumerated: isEnumerated(described),
  });
  const outer = names.slice(0, -1);
  const isOption = isEnumerated(described) || described.type === 'boolean';
  if (own !== 'setting' || outer.length === 0 || isOption) return own;
  const around = kindOf(schema, outer, tool);
  return at === undefined || around === 'receiver' || around === 'command' ? around : own;
}

/** Returns whether a schema names all properties on the way to a value. */
export function isDeclared(schema: JsonSchema, names: readonly string[]): boolean {
  let at: JsonSchema | undefined = schema;
  return names.every((name) => {
    at = propertyOf(at, name);
    return at !== undefined;
  });
}

/** Returns whether a value is one of those that the schema lists. */
export function isChoice(schema: JsonSchema, names: readonly string[]): boolean {
  let at: JsonSchema | undefined = schema;
  for (const name of names) at = propertyOf(at, name);
  return typeof at === 'object' && isEnumerated(itemOf(at));
}

function isEnumerated(schema: { readonly [keyword: string]: unknown }): boolean {
  return Array.isArray(schema.enum) || schema.const !== undefined;
}

function propertyOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const inner = itemOf(schema);
  const properties = inner.properties as Record<string, JsonSchema> | undefined;
  if (properties && typeof properties === 'object' && Object.hasOwn(properties, name)) return properties[name];
  for (const part of [inner.anyOf, inner.oneOf, inner.allOf].flat().slice(0, 20)) {
    const found = part === undefined ? undefined : propertyOf(part as JsonSchema, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the schema of a list's items, with the description of the list; for anything else, the schema itself. */
function itemOf(schema: { readonly [keyword: string]: unknown }): { readonly [keyword: string]: unknown } {
  const { items, description, anyOf } = schema;
  if (typeof items === 'object' && items !== null && !Array.isArray(items)) {
    return itemOf({ ...(description === undefined ? {} : { description }), ...items });
  }
  const [first] = Array.isArray(anyOf) ? anyOf.filter((each) => Object(each).type !== 'null') : [];
  return schema.type === undefined && typeof first === 'object' && first !== null && anyOf !== undefined
    ? { ...schema, ...first }
    : schema;
}

function textOf(value: unknown): string | undefined {
  const [first] = [value].flat().filter((each) => each !== 'null');
  return typeof first === 'string' ? first : undefined;
}
