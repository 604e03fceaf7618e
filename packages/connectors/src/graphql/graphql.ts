import { exactText, parseExact } from '@toolwright/sandbox/internal';
import { answerFailure, answerResult, answerValue } from '../api/answer.ts';
import { exchange } from '../api/client.ts';
import { type Api, type ApiOptions, apiConnector } from '../api/connector.ts';
import { type CompleteAuth, type Credentials, createCredentials } from '../api/credentials.ts';
import { MAX_DESCRIPTION_BYTES, readDescriptionFile } from '../api/description-file.ts';
import type { ApiAnswer, CallScope } from '../api/request.ts';
import type { Connector, ToolCallOptions } from '../connector.ts';
import { excerpt } from '../content/excerpt.ts';
import { parseJson } from '../content/json-values.ts';
import { redactSecrets } from '../content/secret-redactor.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import type { ApiAuth, GraphqlServerConfig } from '../servers/server-config.ts';
import { isAllowed } from '../tools/tool-filter.ts';
import { type GraphqlTool, postRequest, toolDocument } from './document.ts';
import { type GraphqlSchema, readSchema } from './schema.ts';
import { graphqlDefinition, graphqlTools } from './tools.ts';

/**
 * Creates the connector for a GraphQL API: each field of its queries and mutations is a tool. The schema is read when it is first
 * needed, by introspection or from a file.
 */
export function graphqlConnector(name: string, config: GraphqlServerConfig, options: ApiOptions = {}): Connector {
  return apiConnector(name, { ...options, config, load: (filled, scope) => load(name, filled, scope) });
}

/** A GraphQL API, and the parts that its calls share. */
interface GraphqlApi {
  readonly name: string;
  readonly endpoint: string;
  readonly credentials: Credentials;
}

async function load(name: string, config: GraphqlServerConfig, scope: CallScope): Promise<Api> {
  const credentials = createCredentials(name, config.headers ?? {}, completeAuth(name, config.auth), [config.graphql]);
  const schema = await loadSchema(name, config, credentials, scope);
  const tools = graphqlTools(schema).filter((tool) => isAllowed(tool.name, config.tools));
  if (tools.length === 0) {
    throw new ToolwrightError('CONFIG_INVALID', `${name}: the schema has no field that the configuration allows.`);
  }
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const api = { name, endpoint: config.graphql, credentials };
  return {
    tools: tools.map((tool) => graphqlDefinition(schema, tool)),
    omitted: [],
    secrets: () => credentials.secrets(),
    async call(tool, args, callScope, onResult) {
      const found = byName.get(tool);
      if (found === undefined) throw new ToolwrightError('UNKNOWN_TOOL', `${name} has no tool ${tool}.`);
      return callField(api, found, args, { scope: callScope, onResult });
    },
  };
}

function completeAuth(name: string, auth: ApiAuth | undefined): CompleteAuth | undefined {
  const missing = (key: string): never => {
    throw new ToolwrightError(
      'CONFIG_INVALID',
      `mcpServers.${name}.auth: "${key}" is missing. A GraphQL schema has no default for it.`,
    );
  };
  if (auth?.type === 'apiKey') return { ...auth, in: auth.in ?? 'header', name: auth.name ?? missing('name') };
  if (auth?.type === 'oauth2') return { ...auth, tokenUrl: auth.tokenUrl ?? missing('tokenUrl') };
  return auth;
}

async function callField(
  { name, endpoint, credentials }: GraphqlApi,
  tool: GraphqlTool,
  args: Readonly<Record<string, unknown>>,
  { scope, onResult }: { readonly scope: CallScope; readonly onResult: ToolCallOptions['onResult'] },
): Promise<unknown> {
  const request = postRequest(endpoint, toolDocument(tool, args), tool.kind === 'query');
  const answer = await exchange(request, { server: name, credentials, scope });
  const redact = (text: string) => redactSecrets(text, credentials.secrets());
  const { errors, data } = Object(jsonOf(name, tool, answer, redact));
  if (Array.isArray(errors) && errors.length > 0) throw fieldFailure(name, tool, { errors, data }, redact);
  const value: unknown = Object(data)[tool.field.name];
  if (value === undefined) {
    const text = `${name} answered ${tool.name} without data. The call may have taken effect, and was not repeated.`;
    throw new ToolwrightError('UPSTREAM_PROTOCOL', text, { details: { server: name, tool: tool.name } });
  }
  onResult?.(answerResult(value, answer));
  return value;
}

/** Returns the JSON of an answer. Raises `TOOL_FAILED` for an error without the form of GraphQL. */
function jsonOf(name: string, tool: GraphqlTool, answer: ApiAnswer, redact: (text: string) => string): unknown {
  if (answer.status >= 200 && answer.status < 300) return answerValue(name, tool.name, answer);
  // With `application/graphql-response+json`, errors of a request have a status of failure.
  const isGraphql = answer.headers.get('content-type')?.startsWith('application/graphql-response+json') === true;
  if (isGraphql) return answerValue(name, tool.name, answer);
  throw answerFailure(name, tool.name, answer, redact);
}

function fieldFailure(
  server: string,
  tool: GraphqlTool,
  content: { readonly errors: readonly unknown[]; readonly data: unknown },
  redact: (text: string) => string,
): ToolwrightError {
  const messages = content.errors.map((error) => String(Object(error).message ?? 'an error without a message'));
  const json = redact(exactText(content));
  const details = excerpt(json) === json ? { structuredContent: parseExact(json) } : {};
  return new ToolwrightError('TOOL_FAILED', excerpt(redact(messages.join('\n'))), {
    details: { server, tool: tool.name, ...details },
  });
}

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
