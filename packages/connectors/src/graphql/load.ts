import { exchange } from '../api/client.ts';
import type { Credentials } from '../api/credentials.ts';
import { MAX_DESCRIPTION_BYTES, readDescriptionFile } from '../api/description-file.ts';
import type { CallScope } from '../api/request.ts';
import { parseJson } from '../content/json-values.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import type { GraphqlServerConfig } from '../servers/server-config.ts';
import { postRequest } from './document.ts';
import { type GraphqlSchema, readSchema } from './schema.ts';

/** The standard introspection, without directives and deprecated parts. Types are wrapped at most seven times. */
const INTROSPECTION_QUERY: string = `query Introspection {
  __schema {
    queryType { name }
    mutationType { name }
    types {
      kind
      name
      description
      fields(includeDeprecated: false) { name description args { ...Input } type { ...Type } }
      inputFields { ...Input }
      enumValues(includeDeprecated: false) { name }
      possibleTypes { name }
    }
  }
}
fragment Input on __InputValue { name description defaultValue type { ...Type } }
fragment Type on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType {
    kind name ofType { kind name ofType { kind name ofType { kind name } } }
  } } } }
}`;

/**
 * Reads the schema of a GraphQL API from its file, in SDL or as the JSON of an introspection, else from the endpoint. Raises
 * `CONFIG_INVALID` for a file that is neither, and `UPSTREAM_PROTOCOL` for an endpoint that does not answer introspection.
 */
export async function loadSchema(
  name: string,
  { graphql, schema: file }: GraphqlServerConfig,
  credentials: Credentials,
  scope: CallScope,
): Promise<GraphqlSchema> {
  if (file === undefined) return introspect(name, graphql, credentials, scope);
  const text = (await readDescriptionFile(name, file, MAX_DESCRIPTION_BYTES)).toString().replace(/^\uFEFF/, '');
  const invalid = (problem: string) => new ToolwrightError('CONFIG_INVALID', `${name}: the schema ${file} ${problem}.`);
  if (!text.trimStart().startsWith('{')) return fromSdl(text, invalid);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalid('is not valid JSON');
  }
  const schema = readSchema(Object(json).data ?? json);
  if (schema !== undefined) return schema;
  throw invalid('is JSON without the member "__schema" of an introspection');
}

async function fromSdl(text: string, invalid: (problem: string) => ToolwrightError): Promise<GraphqlSchema> {
  const library = await import('graphql').catch(() => {
    throw invalid('is SDL, which needs the package "graphql": npm install graphql@16');
  });
  try {
    const data = library.introspectionFromSchema(library.buildSchema(text, { assumeValidSDL: false }));
    const schema = readSchema(data);
    if (schema !== undefined) return schema;
  } catch (error) {
    throw invalid(`is no valid SDL: ${messageOf(error)}`);
  }
  throw invalid('has no usable types');
}

async function introspect(
  name: string,
  endpoint: string,
  credentials: Credentials,
  scope: CallScope,
): Promise<GraphqlSchema> {
  const request = postRequest(endpoint, { query: INTROSPECTION_QUERY }, true);
  const answer = await exchange(request, { server: name, credentials, scope, maxBytes: MAX_DESCRIPTION_BYTES });
  const schema = answer.status === 200 ? readSchema(Object(parseJson(answer.bytes.toString())).data) : undefined;
  if (schema !== undefined) return schema;
  const text = `${name}: the endpoint does not answer introspection (HTTP ${answer.status}). Set mcpServers.${name}.schema to a file with the schema, or check mcpServers.${name}.auth.`;
  throw new ToolwrightError('UPSTREAM_PROTOCOL', text, { details: { server: name } });
}
