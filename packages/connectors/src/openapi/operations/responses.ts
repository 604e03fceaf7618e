import { isObject, type JsonObject, objectOf } from '../description/objects.ts';
import { DescriptionError, type SchemaStore } from '../schemas/schema-store.ts';

/** The successful responses of an operation: the schema of the result, if it is known, and the media types. */
export interface Responses {
  readonly schema?: JsonObject;
  readonly accept: string;
  /** Whether the responses have the header `Link`. */
  readonly hasLinks: boolean;
}

const JSON_TYPE = /^application\/json\b|\+json\b/i;

/** The result for bytes: the content block of MCP for an image, audio or another file. */
const BYTES_SCHEMA: JsonObject = {
  anyOf: [
    {
      type: 'object',
      properties: { type: { enum: ['image', 'audio'] }, data: { type: 'string' }, mimeType: { type: 'string' } },
      required: ['type', 'data', 'mimeType'],
    },
    {
      type: 'object',
      properties: {
        type: { const: 'resource' },
        resource: {
          type: 'object',
          properties: { uri: { type: 'string' }, mimeType: { type: 'string' }, blob: { type: 'string' } },
          required: ['uri', 'mimeType', 'blob'],
        },
      },
      required: ['type', 'resource'],
    },
  ],
};

/** Reads the responses with a status of success. The result is any of them; `null` for a response without a body. */
export function readResponses(responses: unknown, schemas: SchemaStore): Responses {
  const all = objectOf(responses);
  const statuses = Object.keys(all).filter((status) => /^2(\d\d|XX)$/i.test(status));
  // Some descriptions have nothing but a default.
  if (statuses.length === 0 && Object.keys(all).join() === 'default') statuses.push('default');
  const read = statuses.map((status) => schemas.resolve(all[status]));
  const contents = read.map(({ content }) => objectOf(content));
  const types = [...new Set(contents.flatMap((content) => Object.keys(content)))].filter(isMediaType);
  const found = contents.flatMap((content) => resultSchemas(content, schemas));
  const isEmpty = contents.some((content) => Object.keys(content).length === 0);
  const distinct = unique([...found, ...(isEmpty ? [{ type: 'null' }] : [])]);
  const [only] = distinct;
  const isKnown = distinct.every((schema) => Object.keys(schema).length > 0);
  const schema = distinct.length > 1 ? { anyOf: distinct } : only;
  return {
    schema: schema === undefined || !isKnown ? undefined : schema,
    accept: [...types.sort((a, b) => Number(JSON_TYPE.test(b)) - Number(JSON_TYPE.test(a))), '*/*;q=0.1'].join(', '),
    hasLinks: read.some(({ headers }) => Object.keys(objectOf(headers)).some((name) => /^link$/i.test(name))),
  };
}

function resultSchemas(content: JsonObject, schemas: SchemaStore): JsonObject[] {
  const types = Object.keys(content);
  const json = types.filter((type) => JSON_TYPE.test(type) || type === '*/*');
  // A server that can answer with JSON does so: the header `Accept` has it first.
  return (json.length > 0 ? json : types).map((type) => {
    if (json.length > 0) return mediaSchema(content[type], schemas);
    return /^text\/|\bxml\b|\byaml\b|x-www-form-urlencoded/i.test(type) ? { type: 'string' } : BYTES_SCHEMA;
  });
}

function mediaSchema(media: unknown, schemas: SchemaStore): JsonObject {
  const { schema } = objectOf(media);
  if (!isObject(schema)) return {};
  // A file as in Swagger 2.
  const { type, format } = typeof schema.$ref === 'string' ? safely(() => schemas.resolve(schema)) : schema;
  return type === 'file' || (type === 'string' && format === 'binary') ? BYTES_SCHEMA : schema;
}

/** A reference that cannot be used is reported when its schema is stored. */
function safely(resolve: () => JsonObject): JsonObject {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof DescriptionError) return {};
    throw error;
  }
}

function isMediaType(type: string): boolean {
  return /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(?:;[\x20-\x7e]*)?$/.test(type);
}

function unique(schemas: readonly JsonObject[]): JsonObject[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}
