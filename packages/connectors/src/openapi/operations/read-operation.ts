import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../content/json-values.ts';
import type { ApiDocument } from '../description/document.ts';
import { DescriptionError, type SchemaStore } from '../schemas/schema-store.ts';
import { readBody } from './body.ts';
import { MAX_PAGES_ARGUMENT, type Method, type OperationPlan } from './operation.ts';
import { checkPath, type IsConfigured, parameterObjects, readParameters } from './parameters.ts';
import { fromSwagger2 } from './swagger2.ts';

/** The description of one operation, and the parts of the document that it needs. */
interface OperationSource {
  readonly method: Method;
  readonly path: string;
  readonly item: JsonObject;
  readonly document: ApiDocument;
  readonly schemas: SchemaStore;
  readonly isConfigured: IsConfigured;
}

/** Query parameters that continue a list. */
const CURSOR = /^(?:cursor|continue|marker|after|starting_after|page|offset|(?:page|next|continuation)_?token)$/i;

/** The successful responses of an operation: the schema of the result, if it is known, and the media types. */
interface Responses {
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

/** Reads one operation. Raises a `DescriptionError` for one that cannot be called. */
export function readOperation({ method, path, item, document, schemas, isConfigured }: OperationSource): OperationPlan {
  const raw = objectOf(item[method]);
  const objects = parameterObjects([item.parameters, raw.parameters], schemas);
  const isSwagger2 = document.get(['swagger']) !== undefined;
  const root = { consumes: document.get(['consumes']), produces: document.get(['produces']) };
  const { operation, parameters: converted } = isSwagger2
    ? fromSwagger2(raw, objects, root, schemas)
    : { operation: raw, parameters: objects };
  const parameters = readParameters(converted, isConfigured);
  const plans = parameters.map(({ plan }) => plan);
  checkPath(path, plans);
  const taken = new Set(plans.map(({ argument }) => argument));
  const body = operation.requestBody === undefined ? undefined : readBody(operation.requestBody, taken, schemas);
  const responses = readResponses(operation.responses, schemas);
  const hasPages = method === 'get' && !taken.has(MAX_PAGES_ARGUMENT) && isList(responses.schema, schemas);
  const cursor = plans.find((plan) => plan.in === 'query' && CURSOR.test(plan.name))?.argument;
  const pages = hasPages && (cursor !== undefined || responses.hasLinks) ? { pages: cursor ? { cursor } : {} } : {};
  const properties = [
    ...parameters.map(({ plan, schema }): [string, unknown] => [plan.argument, schema]),
    ...Object.entries(body?.properties ?? {}),
    ...('pages' in pages ? [[MAX_PAGES_ARGUMENT, PAGES_SCHEMA] as [string, unknown]] : []),
  ];
  const required = [
    ...plans.filter((plan) => plan.required).map(({ argument }) => argument),
    ...(body?.required ?? []),
  ];
  const input = schemas.store({
    type: 'object',
    properties: properties.length === 0 && body?.isOpen ? undefined : Object.fromEntries(properties),
    required: required.length === 0 ? undefined : required,
    additionalProperties: body?.isOpen ? undefined : false,
  });
  const output = responses.schema === undefined ? undefined : schemas.store(responses.schema);
  schemas.check([input, output]);
  const server = serverOf(operation) ?? serverOf(item);
  return {
    method,
    path,
    parameters: plans,
    accept: responses.accept,
    input,
    ...pages,
    server,
    body: body?.plan,
    output,
  };
}

const PAGES_SCHEMA: JsonObject = {
  type: 'integer',
  minimum: 1,
  description: 'Reads up to this many pages and returns their items as one list. Default: 1',
};

/** Returns whether a result is a list, or an object that can have one. */
function isList(schema: JsonObject | undefined, schemas: SchemaStore): boolean {
  if (schema === undefined) return true;
  const target = schemas.resolve(schema);
  return (
    target.type === 'array' || target.type === 'object' || isObject(target.properties) || target.allOf !== undefined
  );
}

function serverOf({ servers }: JsonObject): string | undefined {
  const [first] = listOf(servers);
  return textOf(objectOf(first).url);
}

/** Reads the responses with a status of success. The result is any of them; `null` for a response without a body. */
function readResponses(responses: unknown, schemas: SchemaStore): Responses {
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
