import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../content/json-values.ts';
import type { SchemaStore } from '../schemas/schema-store.ts';

/** The styles of OpenAPI 3 for the `collectionFormat` of Swagger 2. */
const STYLES: ReadonlyMap<unknown, JsonObject> = new Map([
  ['csv', { explode: false }],
  ['ssv', { style: 'spaceDelimited', explode: false }],
  ['pipes', { style: 'pipeDelimited', explode: false }],
  ['multi', { style: 'form', explode: true }],
]);
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/** Converts an operation of Swagger 2 to the form of OpenAPI 3. `parameters` has all of its parameters, without references. */
export function fromSwagger2(
  operation: JsonObject,
  parameters: readonly JsonObject[],
  root: { readonly consumes: unknown; readonly produces: unknown },
  schemas: SchemaStore,
): { readonly operation: JsonObject; readonly parameters: JsonObject[] } {
  const consumes = types(operation.consumes ?? root.consumes);
  const produces = types(operation.produces ?? root.produces);
  const body = parameters.find((parameter) => parameter.in === 'body');
  const fields = parameters.filter((parameter) => parameter.in === 'formData');
  const requestBody = body === undefined ? formBody(fields, consumes) : jsonBody(body, consumes);
  const responses = Object.entries(objectOf(operation.responses)).map(([status, value]): [string, JsonObject] => {
    return [status, responseOf(schemas.resolve(value), produces)];
  });
  return {
    operation: {
      ...operation,
      responses: Object.fromEntries(responses),
      requestBody: requestBody ?? operation.requestBody,
    },
    parameters: parameters.filter(({ in: place }) => place !== 'body' && place !== 'formData').map(parameterOf),
  };
}

/** Returns the server of Swagger 2 as a URL of OpenAPI 3. */
export function swagger2Server(document: { get(path: readonly string[]): unknown }): string {
  const host = textOf(document.get(['host']));
  const path = textOf(document.get(['basePath'])) ?? '';
  const schemes = listOf(document.get(['schemes']));
  const scheme = schemes.includes('https') || schemes.length === 0 ? 'https' : String(schemes[0]);
  return host === undefined ? path || '/' : `${scheme}://${host}${path}`;
}

function types(value: unknown): string[] {
  return listOf(value).filter((type) => typeof type === 'string');
}

function parameterOf({ collectionFormat, name, in: place, required, description, ...schema }: JsonObject): JsonObject {
  const style = schema.type === 'array' ? (STYLES.get(collectionFormat ?? 'csv') ?? STYLES.get('csv')) : {};
  return { name, in: place, required, description, schema, ...style };
}

function jsonBody({ schema, required, description }: JsonObject, consumes: readonly string[]): JsonObject {
  const media = consumes.length === 0 ? ['application/json'] : consumes;
  return { required, description, content: Object.fromEntries(media.map((type) => [type, { schema }])) };
}

function formBody(fields: readonly JsonObject[], consumes: readonly string[]): JsonObject | undefined {
  if (fields.length === 0) return undefined;
  const isMultipart =
    fields.some(({ type }) => type === 'file') || (consumes.includes(MULTIPART) && !consumes.includes(FORM));
  const properties = fields.map(({ name, in: _place, required: _required, ...schema }) => [String(name), schema]);
  const required = fields.filter((field) => field.required === true).map(({ name }) => String(name));
  const encoding = fields.map(({ name, collectionFormat }) => [
    String(name),
    collectionFormat === 'multi' ? { explode: true } : collectionFormat === undefined ? {} : { explode: false },
  ]);
  const media = {
    schema: { type: 'object', properties: Object.fromEntries(properties), required },
    encoding: Object.fromEntries(encoding),
  };
  return { required: required.length > 0, content: { [isMultipart ? MULTIPART : FORM]: media } };
}

function responseOf({ schema, headers, ...response }: JsonObject, produces: readonly string[]): JsonObject {
  const types = produces.length === 0 ? ['application/json'] : produces;
  const content = isObject(schema) ? { content: Object.fromEntries(types.map((type) => [type, { schema }])) } : {};
  return { ...response, ...content, ...(headers === undefined ? {} : { headers }) };
}
