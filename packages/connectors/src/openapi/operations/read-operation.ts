import type { ApiDocument } from '../description/document.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../description/objects.ts';
import type { SchemaStore } from '../schemas/schema-store.ts';
import { readBody } from './body.ts';
import { MAX_PAGES_ARGUMENT, type Method, type OperationPlan } from './operation.ts';
import { checkPath, type IsConfigured, parameterObjects, readParameters } from './parameters.ts';
import { readResponses } from './responses.ts';
import { fromSwagger2 } from './swagger2.ts';

/** The description of one operation, and the parts of the document that it needs. */
export interface OperationSource {
  readonly method: Method;
  readonly path: string;
  readonly item: JsonObject;
  readonly document: ApiDocument;
  readonly schemas: SchemaStore;
  readonly isConfigured: IsConfigured;
}

/** Query parameters that continue a list. */
const CURSOR = /^(?:cursor|continue|marker|after|starting_after|page|offset|(?:page|next|continuation)_?token)$/i;

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
