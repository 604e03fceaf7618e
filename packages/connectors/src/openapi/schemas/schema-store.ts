import { isObject, type JsonObject, listOf, objectOf } from '../../content/json-values.ts';
import type { JsonSchema } from '../../tools/tool.ts';
import { type ApiDocument, pointerParts } from '../description/document.ts';

/** The use of a schema: `input` has no read-only properties, `output` no write-only ones. */
export type Direction = 'input' | 'output';

/** A schema as JSON text, and the definitions that it refers to. */
export interface StoredSchema {
  readonly text: string;
  readonly uses: readonly number[];
}

/** The schemas of a description as compact texts. Definitions are shared; cycles stay references. */
export interface SchemaStore {
  /** Converts and stores a schema, and all definitions that it refers to. */
  store(schema: unknown): StoredSchema;
  /** Returns the object that a chain of references leads to. Raises a {@link DescriptionError} without one. */
  resolve(value: unknown): JsonObject;
  /** Raises a {@link DescriptionError} when the schemas need a document that Toolwright does not read. */
  check(schemas: readonly (StoredSchema | undefined)[]): void;
  /** Returns a stored schema as a complete JSON Schema, with the definitions that it needs in `$defs`. */
  build(stored: StoredSchema, direction: Direction): JsonSchema;
}

/** Raised for a part of a description that cannot be used. The message has no end mark. */
export class DescriptionError extends Error {}

interface StoredDefinition extends StoredSchema {
  readonly name: string;
  readonly problem?: string;
}

const MAX_REFERENCES = 20;
/** Maximum characters of the definitions of one schema. In some descriptions, each object leads to all others. */
const MAX_CHARACTERS = 100_000;
const MARKS = { input: 'readOnly', output: 'writeOnly' } as const;

/** Creates the store for the schemas of a description. `document` is needed until all schemas are stored. */
export function createSchemaStore(document: () => ApiDocument): SchemaStore {
  const definitions: StoredDefinition[] = [];
  const numbers = new Map<string, number>();
  const names = new Set<string>();

  function numberOf(pointer: string): number {
    const known = numbers.get(pointer);
    if (known !== undefined) return known;
    const number = numbers.size;
    numbers.set(pointer, number);
    return number;
  }

  function convert(schema: unknown): StoredSchema & { readonly problem?: string } {
    const uses = new Set<number>();
    let problem: string | undefined;
    const rewrite = (reference: string): string | undefined => {
      const parts = pointerParts(reference);
      if (parts === undefined && !reference.startsWith('#')) problem ??= foreign(reference);
      const isKnown = numbers.has(reference);
      if (parts === undefined || (!isKnown && document().get(parts) === undefined)) return undefined;
      const number = numberOf(reference);
      uses.add(number);
      return `#${number}`;
    };
    const text = JSON.stringify(toJsonSchema(schema, rewrite));
    return { text, uses: [...uses], problem };
  }

  /** Converts the definitions that were referred to since the last call, and those that they refer to. */
  function convertDefinitions(): void {
    const pointers = [...numbers.keys()];
    for (let number = definitions.length; number < numbers.size; number++) {
      if (number >= pointers.length) pointers.push(...[...numbers.keys()].slice(pointers.length));
      const parts = pointerParts(pointers[number] ?? '') ?? [];
      definitions.push({ name: freeName(parts.at(-1) ?? '', names), ...convert(document().get(parts)) });
    }
  }

  return {
    store(schema) {
      const { text, uses, problem } = convert(schema);
      convertDefinitions();
      if (problem !== undefined) throw new DescriptionError(problem);
      return { text, uses };
    },
    resolve: (value) => resolveReference(value, document()),
    check(schemas) {
      for (const number of closure(
        definitions,
        schemas.flatMap((schema) => schema?.uses ?? []),
      )) {
        const problem = definitions[number]?.problem;
        if (problem !== undefined) throw new DescriptionError(problem);
      }
    },
    build({ text, uses }, direction) {
      const reached = closure(definitions, uses, MAX_CHARACTERS);
      const read = (json: string): JsonObject => {
        const named = json.replaceAll(/"\$ref":"#(\d+)"/g, (_whole, number: string) => {
          if (!reached.has(Number(number))) return '"description":"Any value: the schema is too large to be complete"';
          return `"$ref":${JSON.stringify(`#/$defs/${definitions[Number(number)]?.name}`)}`;
        });
        const schema: unknown = JSON.parse(named);
        if (named.includes(`"${MARKS[direction]}":true`)) removeProperties(schema, MARKS[direction]);
        return objectOf(schema);
      };
      const $defs = [...reached].map((number) => {
        const { name = '', text: definition = '{}' } = definitions[number] ?? {};
        return [name, read(definition)] as const;
      });
      return $defs.length === 0 ? read(text) : { ...read(text), $defs: Object.fromEntries($defs) };
    },
  };
}

/** Returns the object that a chain of references leads to. */
function resolveReference(value: unknown, document: ApiDocument): JsonObject {
  let current = value;
  for (let hops = 0; isObject(current) && typeof current.$ref === 'string'; hops++) {
    const parts = pointerParts(current.$ref);
    if (parts === undefined) throw new DescriptionError(foreign(current.$ref));
    if (hops === MAX_REFERENCES) throw new DescriptionError(`its $ref "${current.$ref}" leads in a circle`);
    const target = document.get(parts);
    if (target === undefined) throw new DescriptionError(`its $ref "${current.$ref}" leads nowhere`);
    current = target;
  }
  return objectOf(current);
}

/** Returns the definitions that schemas lead to, the nearest first, up to a number of characters. */
function closure(
  definitions: readonly StoredDefinition[],
  uses: readonly number[],
  maxCharacters = Number.POSITIVE_INFINITY,
): Set<number> {
  const reached = new Set(uses);
  let characters = 0;
  for (const number of reached) {
    characters += definitions[number]?.text.length ?? 0;
    if (characters > maxCharacters) return new Set([...reached].slice(0, [...reached].indexOf(number)));
    for (const next of definitions[number]?.uses ?? []) reached.add(next);
  }
  return reached;
}

function freeName(wanted: string, names: Set<string>): string {
  const base = wanted.replace(/[^\w.-]/g, '_') || 'Definition';
  let name = base;
  for (let count = 2; names.has(name); count++) name = `${base}_${count}`;
  names.add(name);
  return name;
}

function foreign(reference: string): string {
  const shown = reference.length > 100 ? `${reference.slice(0, 100)}…` : reference;
  return `its $ref "${shown}" leads to another document, which Toolwright does not read; bundle the description into one file`;
}

/** Receives each reference of a schema and returns the reference to write, or undefined to allow any value. */
export type RewriteReference = (reference: string) => string | undefined;

/** Maximum nesting of one schema. */
const MAX_LEVELS = 100;

type KeywordKind = 'schema' | 'schemas' | 'named' | 'data';

/** The kind of a keyword's value: a schema, a list of schemas, an object of schemas, or data that stays as it is. */
const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map([
  ...words('schema', 'items additionalProperties not if then else contains propertyNames additionalItems'),
  ...words('schema', 'unevaluatedItems unevaluatedProperties'),
  ...words('schemas', 'allOf anyOf oneOf prefixItems'),
  ...words('named', 'properties patternProperties dependentSchemas'),
  ...words('data', 'type enum const default format pattern description required deprecated readOnly writeOnly'),
  ...words('data', 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength'),
  ...words('data', 'minItems maxItems uniqueItems minContains maxContains minProperties maxProperties'),
  ...words('data', 'dependentRequired contentMediaType contentEncoding'),
]);

function words(kind: KeywordKind, names: string): [string, KeywordKind][] {
  return names.split(' ').map((name) => [name, kind]);
}

/**
 * Converts a schema of Swagger 2 or OpenAPI 3 to JSON Schema 2020-12: without examples, extensions and other keywords that say
 * nothing about a value. Raises a `RangeError` for a schema that is nested too deep.
 */
export function toJsonSchema(schema: unknown, rewrite: RewriteReference, level = 0): JsonObject | boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) return {};
  if (level > MAX_LEVELS) throw new RangeError(`a schema is nested deeper than ${MAX_LEVELS} levels`);
  const nested = (value: unknown): JsonObject | boolean => toJsonSchema(value, rewrite, level + 1);
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    switch (KEYWORDS.get(key)) {
      case 'schema':
        return [[key, Array.isArray(value) ? value.map(nested) : nested(value)]];
      case 'schemas':
        return Array.isArray(value) ? [[key, value.map(nested)]] : [];
      case 'named':
        return isObject(value)
          ? [[key, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, nested(child)]))]]
          : [];
      case 'data':
        return [[key, value]];
      default:
        return [];
    }
  });
  const target = typeof schema.$ref === 'string' ? rewrite(schema.$ref) : undefined;
  if (target !== undefined) entries.unshift(['$ref', target]);
  return withNull(withLimits(Object.fromEntries(entries)), schema);
}

/** OpenAPI 3.0 and Swagger 2 mark an exclusive limit with `true`. */
function withLimits(schema: JsonObject): JsonObject {
  const limits = [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const;
  return limits.reduce((current, [limit, exclusive]) => {
    if (typeof current[exclusive] !== 'boolean') return current;
    const { [exclusive]: isExclusive, [limit]: value, ...others } = current;
    return value === undefined ? others : { ...others, [isExclusive === true ? exclusive : limit]: value };
  }, schema);
}

/** OpenAPI 3.0 marks a value that may be null with `nullable`. */
function withNull(schema: JsonObject, source: JsonObject): JsonObject {
  if (source.nullable !== true && source['x-nullable'] !== true) return schema;
  if (schema.type === undefined && schema.enum === undefined) return { anyOf: [schema, { type: 'null' }] };
  const { type, enum: values } = schema;
  return {
    ...schema,
    ...(type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  };
}

/** Removes the properties that callers never send (`readOnly`) or never receive (`writeOnly`), in place. */
export function removeProperties(schema: unknown, mark: 'readOnly' | 'writeOnly'): void {
  if (Array.isArray(schema)) for (const item of schema) removeProperties(item, mark);
  if (!isObject(schema)) return;
  const { properties } = schema;
  if (isObject(properties)) {
    const removed = Object.keys(properties).filter((name) => {
      const property = properties[name];
      return isObject(property) && property[mark] === true;
    });
    const own = schema as Record<string, unknown>;
    if (removed.length > 0) {
      own.properties = Object.fromEntries(Object.entries(properties).filter(([name]) => !removed.includes(name)));
      own.required = listOf(schema.required).filter((name) => !removed.includes(String(name)));
    }
  }
  for (const child of Object.values(schema)) removeProperties(child, mark);
}
