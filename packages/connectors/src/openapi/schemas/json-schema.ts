import { isObject, type JsonObject, listOf } from '../../content/json-values.ts';

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
