import { exactText, parseExact } from '@toolwright/sandbox/internal';
import { answerFailure, answerResult, answerValue } from '../api/answer.ts';
import { exchange } from '../api/client.ts';
import { type Api, type ApiOptions, apiConnector } from '../api/connector.ts';
import { type CompleteAuth, type Credentials, createCredentials } from '../api/credentials.ts';
import type { ApiAnswer, CallScope } from '../api/request.ts';
import type { Connector, ToolCallOptions } from '../connector.ts';
import { excerpt } from '../content/excerpt.ts';
import { redactSecrets } from '../content/secret-redactor.ts';
import { ToolwrightError } from '../errors.ts';
import type { ApiAuth, GraphqlServerConfig } from '../servers/server-config.ts';
import { isAllowed } from '../tools/tool-filter.ts';
import { type GraphqlTool, postRequest, toolDocument } from './document.ts';
import { loadSchema } from './load.ts';
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
