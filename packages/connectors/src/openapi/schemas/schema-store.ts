import { isObject, type JsonObject, objectOf } from '../../content/json-values.ts';
import type { JsonSchema } from '../../tools/tool.ts';
import { type ApiDocument, pointerParts } from '../description/document.ts';
import { removeProperties, toJsonSchema } from './json-schema.ts';

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
