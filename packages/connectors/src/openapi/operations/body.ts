import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../content/json-values.ts';
import type { SchemaStore } from '../schemas/schema-store.ts';
import type { BodyPlan, FieldPlan } from './operation.ts';

/** The body of an operation: its plan, the schemas of its arguments, and the names of the required ones. */
export interface Body {
  readonly plan: BodyPlan;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** Whether the arguments may have further members for the body. */
  readonly isOpen: boolean;
}

/** The schema of a file: its text, or its bytes as in a content block of MCP. */
const FILE_SCHEMA: JsonObject = {
  description: 'A file: its text, or its bytes in base64',
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      properties: {
        data: { type: 'string', description: 'The bytes in base64' },
        mimeType: { type: 'string' },
        filename: { type: 'string' },
      },
      required: ['data'],
    },
  ],
};

/** The kinds of bodies, the preferred one first. */
const KINDS: readonly (readonly [kind: BodyPlan['kind'], pattern: RegExp])[] = [
  ['json', /^application\/json\b|^[^;]+\+json\b|^\*\/\*$/i],
  ['multipart', /^multipart\//i],
  ['form', /^application\/x-www-form-urlencoded\b/i],
  ['text', /^text\/|^application\/(?:xml|yaml)\b|\+xml\b/i],
  ['binary', /./],
];

/**
 * Reads the request body of an operation. The members of an object become arguments of their own, unless one has the name of a
 * parameter. Any other body is one argument.
 */
export function readBody(requestBody: unknown, taken: ReadonlySet<string>, schemas: SchemaStore): Body | undefined {
  const body = schemas.resolve(requestBody);
  const content = objectOf(body.content);
  const types = Object.keys(content);
  const [kind, mimeType] = KINDS.flatMap(([each, pattern]) => {
    const found = types.find((type) => pattern.test(type));
    return found === undefined ? [] : [[each, found] as const];
  })[0] ?? [undefined, ''];
  if (kind === undefined) return undefined;
  const media = objectOf(content[mimeType]);
  const required = body.required === true;
  const fields = kind === 'form' || kind === 'multipart' ? fieldPlans(media, schemas) : undefined;
  const plan = {
    mimeType: mimeType === '*/*' ? 'application/json' : mimeType,
    kind,
    required,
    fields,
  };
  const members = kind === 'text' || kind === 'binary' ? undefined : objectMembers(media.schema, schemas);
  if (members !== undefined && !Object.keys(members.properties).some((name) => taken.has(name))) {
    const properties = Object.entries(members.properties).map(([name, schema]): [string, unknown] => {
      return [name, fields?.[name]?.isFile ? fileSchema(schemas.resolve(schema)) : schema];
    });
    return {
      plan,
      properties: Object.fromEntries(properties),
      required: required ? members.required : [],
      isOpen: members.isOpen,
    };
  }
  const argument = taken.has('body') ? 'requestBody' : 'body';
  const schema = kind === 'binary' ? FILE_SCHEMA : kind === 'text' ? { type: 'string' } : (media.schema ?? {});
  return {
    plan: { ...plan, argument },
    properties: { [argument]: withDescription(objectOf(schema), body) },
    required: required ? [argument] : [],
    isOpen: false,
  };
}

function fileSchema(schema: JsonObject): JsonObject {
  return withDescription(schema.type === 'array' ? { type: 'array', items: FILE_SCHEMA } : FILE_SCHEMA, schema);
}

function withDescription(schema: JsonObject, { description }: JsonObject): JsonObject {
  return textOf(description) === undefined ? schema : { ...schema, description };
}

interface Members {
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly isOpen: boolean;
}

/** Returns the members of an object schema, also of one in parts (`allOf`); undefined for any other schema. */
function objectMembers(value: unknown, schemas: SchemaStore, depth = 0): Members | undefined {
  const schema = schemas.resolve(value);
  if (depth > 10 || schema.nullable === true || !isPlainObject(schema)) return undefined;
  const parts = listOf(schema.allOf).map((part) => objectMembers(part, schemas, depth + 1));
  if (parts.some((part) => part === undefined)) return undefined;
  const all = parts.filter((part) => part !== undefined);
  const properties = [...all.map((part) => part.properties), objectOf(schema.properties)];
  return {
    properties: Object.fromEntries(properties.flatMap((part) => Object.entries(part))),
    required: [...new Set([...all.flatMap((part) => part.required), ...listOf(schema.required).map(String)])],
    isOpen: schema.additionalProperties !== false && all.every((part) => part.isOpen),
  };
}

/** Returns whether a schema only lists the members of an object. */
function isPlainObject(schema: JsonObject): boolean {
  if (schema.type !== undefined && schema.type !== 'object') return false;
  if (schema.type === undefined && !isObject(schema.properties) && schema.allOf === undefined) return false;
  if (isObject(schema.additionalProperties)) return false;
  // Branches that only require members, as in GitHub's description, are for the server to check.
  const branches = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  return branches.every((branch) => isObject(branch) && Object.keys(branch).every((key) => key === 'required'));
}

function fieldPlans(media: JsonObject, schemas: SchemaStore): Record<string, FieldPlan> {
  const encoding = objectOf(media.encoding);
  const properties = objectMembers(media.schema, schemas)?.properties ?? {};
  const names = [...new Set([...Object.keys(properties), ...Object.keys(encoding)])];
  return Object.fromEntries(
    names.map((name): [string, FieldPlan] => {
      const { style, explode, contentType } = objectOf(encoding[name]);
      return [
        name,
        {
          style: typeof style === 'string' ? style : undefined,
          explode: typeof explode === 'boolean' ? explode : undefined,
          contentType: typeof contentType === 'string' && !/[,*]/.test(contentType) ? contentType : undefined,
          isFile: isFile(schemas.resolve(properties[name]), schemas) ? true : undefined,
        },
      ];
    }),
  );
}

/** Returns whether a property is a file, or a list of files. */
function isFile(schema: JsonObject, schemas: SchemaStore): boolean {
  if (schema.type === 'array') return isFile(schemas.resolve(schema.items), schemas);
  const isBytes = schema.contentMediaType !== undefined && schema.contentEncoding === undefined;
  return schema.format === 'binary' || schema.type === 'file' || isBytes;
}
