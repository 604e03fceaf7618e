import { exchange } from '../api/client.ts';
import { type Api, type ApiOptions, apiConnector } from '../api/connector.ts';
import { type CompleteAuth, createCredentials } from '../api/credentials.ts';
import { invalidDescription, MAX_DESCRIPTION_BYTES, readDescriptionFile } from '../api/description-file.ts';
import type { ApiRequest, CallScope } from '../api/request.ts';
import { isUrl } from '../api/urls.ts';
import type { Connector } from '../connector.ts';
import { isObject, type JsonObject, objectOf, textOf } from '../content/json-values.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import type { ApiAuth, OpenApiServerConfig } from '../servers/server-config.ts';
import type { ToolAnnotations, ToolDefinition } from '../tools/tool.ts';
import { isAllowed } from '../tools/tool-filter.ts';
import type { ApiDocument } from './description/document.ts';
import { parseDescription } from './description/load.ts';
import type { Method, Operation, OperationPlan } from './operations/operation.ts';
import { readOperations } from './operations/operations.ts';
import type { IsConfigured } from './operations/parameters.ts';
import { callOperation } from './requests/call.ts';
import { createSchemaStore, DescriptionError, type SchemaStore } from './schemas/schema-store.ts';
import { type ApiServers, readServers } from './servers.ts';

type KeyAuth = Extract<ApiAuth, { type: 'apiKey' }>;
type ClientAuth = Extract<ApiAuth, { type: 'oauth2' }>;

/**
 * Creates the connector for an HTTP API with an OpenAPI description: each operation is a tool. The description is read when it is
 * first needed. A reference to another document is never followed: its operation is left out, with the reason.
 */
export function openApiConnector(name: string, config: OpenApiServerConfig, options: ApiOptions = {}): Connector {
  return apiConnector(name, { ...options, config, load: (filled, scope) => load(name, filled, scope) });
}

async function load(name: string, config: OpenApiServerConfig, scope: CallScope): Promise<Api> {
  const bytes = await readBytesOf(name, config, scope);
  let document: ApiDocument | undefined = await parseDescription(name, config.openapi, bytes);
  const current = (): ApiDocument => {
    if (document !== undefined) return document;
    throw new ToolwrightError('INTERNAL', `${name}: the description was needed after it was read.`);
  };
  try {
    const servers = readServers(name, config, document);
    const auth = completeAuth(name, config.auth, document, servers);
    const schemas = createSchemaStore(current);
    const { operations, omitted } = readOperations(document, schemas, {
      isAllowed: (tool) => isAllowed(tool, config.tools),
      isConfigured: isConfiguredBy(config, auth),
    });
    const trusted = servers.trusted(operations.map(({ server }) => server));
    const credentials = createCredentials(name, config.headers ?? {}, auth, trusted);
    credentials.check(new URL(servers.baseUrl));
    const api = { name, servers, credentials };
    if (operations.length === 0) throw new DescriptionError(noOperations(omitted));
    const about = textOf(objectOf(document.get(['info'])).title);
    const byName = new Map(operations.map((operation) => [operation.name, operation]));
    return {
      about,
      omitted,
      tools: operations.map((operation): ToolDefinition => toolDefinition(operation, schemas)),
      secrets: () => credentials.secrets(),
      call: async (tool, args, callScope, onResult) => {
        return callOperation(api, tool, planOf(name, byName, tool), args, { scope: callScope, onResult });
      },
    };
  } catch (error) {
    if (error instanceof DescriptionError || error instanceof SyntaxError) {
      throw invalidDescription(name, config.openapi, `cannot be used: ${messageOf(error)}`);
    }
    throw error;
  } finally {
    // Its bytes are not needed any more.
    document = undefined;
  }
}

function noOperations(omitted: Api['omitted']): string {
  const [first] = omitted;
  return first === undefined ? 'it has no operation that the configuration allows' : `${first.name}: ${first.problem}`;
}

async function readBytesOf(name: string, config: OpenApiServerConfig, scope: CallScope): Promise<Buffer> {
  const { openapi, baseUrl, headers = {} } = config;
  if (!isUrl(openapi)) return readDescriptionFile(name, openapi, MAX_DESCRIPTION_BYTES);
  // Without a base URL, the headers may be meant for another server.
  const isOwn = baseUrl !== undefined && new URL(baseUrl).origin === new URL(openapi).origin;
  const credentials = isOwn ? { credentials: createCredentials(name, headers, undefined, [openapi]) } : {};
  const accept = new Headers({
    accept: 'application/json, application/yaml;q=0.9, */*;q=0.5',
    'user-agent': 'toolwright',
  });
  const request: ApiRequest = { method: 'GET', url: new URL(openapi), headers: accept };
  const answer = await exchange(request, { server: name, scope, maxBytes: MAX_DESCRIPTION_BYTES, ...credentials });
  if (answer.status === 200) return answer.bytes;
  throw new ToolwrightError('UPSTREAM_UNAVAILABLE', `${name}: the description has the answer HTTP ${answer.status}.`, {
    details: { server: name },
  });
}

function isConfiguredBy({ headers = {} }: OpenApiServerConfig, auth: CompleteAuth | undefined): IsConfigured {
  const names = new Set(Object.keys(headers).map((header) => header.toLowerCase()));
  return (place, name) => {
    if (place === 'header' && names.has(name.toLowerCase())) return true;
    if (auth?.type !== 'apiKey' || auth.in !== place) return false;
    return place === 'header' ? auth.name.toLowerCase() === name.toLowerCase() : auth.name === name;
  };
}

function planOf(server: string, operations: ReadonlyMap<string, Operation>, tool: string): OperationPlan {
  const operation = operations.get(tool);
  if (operation === undefined) throw new ToolwrightError('UNKNOWN_TOOL', `${server} has no tool ${tool}.`);
  return JSON.parse(operation.plan) as OperationPlan;
}

/** Completes the configured credentials with the security schemes of the description. Raises `CONFIG_INVALID`. */
function completeAuth(
  name: string,
  auth: ApiAuth | undefined,
  document: ApiDocument,
  servers: ApiServers,
): CompleteAuth | undefined {
  const schemes = [document.get(['components', 'securitySchemes']), document.get(['securityDefinitions'])]
    .flatMap((all) => Object.values(objectOf(all)))
    .filter(isObject);
  if (auth?.type === 'apiKey') return completeKey(name, auth, schemes);
  if (auth?.type === 'oauth2') return completeClient(name, auth, schemes, servers);
  return auth;
}

function completeKey(name: string, auth: KeyAuth, schemes: readonly JsonObject[]): CompleteAuth {
  if (auth.in !== undefined && auth.name !== undefined) return { ...auth, in: auth.in, name: auth.name };
  const keys = schemes.flatMap((scheme) => {
    const place = (['header', 'query', 'cookie'] as const).find((each) => each === scheme.in);
    const own = textOf(scheme.name);
    const isMeant = (auth.in ?? place) === place && (auth.name ?? own) === own;
    return scheme.type !== 'apiKey' || place === undefined || own === undefined || !isMeant
      ? []
      : [{ in: place, name: own }];
  });
  const [first, ...others] = keys;
  if (first !== undefined && others.every((key) => key.in === first.in && key.name === first.name))
    return { ...auth, ...first };
  const found = keys.map((key) => `${key.in} ${key.name}`).join(', ');
  const has = first === undefined ? 'has no such key' : `has several keys (${found})`;
  throw new ToolwrightError('CONFIG_INVALID', `mcpServers.${name}.auth: the description ${has}. Set "in" and "name".`);
}

function completeClient(
  name: string,
  auth: ClientAuth,
  schemes: readonly JsonObject[],
  servers: ApiServers,
): CompleteAuth {
  if (auth.tokenUrl !== undefined) return { ...auth, tokenUrl: auth.tokenUrl };
  const found = schemes
    .filter(({ type }) => type === 'oauth2')
    .map(({ flows, flow, tokenUrl }) => {
      return (
        textOf(objectOf(objectOf(flows).clientCredentials).tokenUrl) ??
        (flow === 'application' ? textOf(tokenUrl) : undefined)
      );
    })
    .find((url) => url !== undefined);
  const fail = (problem: string) =>
    new ToolwrightError('CONFIG_INVALID', `mcpServers.${name}.auth: ${problem}. Set "tokenUrl".`);
  if (found === undefined) throw fail('the description has no flow "clientCredentials"');
  const tokenUrl = URL.canParse(found, servers.baseUrl) ? new URL(found, servers.baseUrl).href : '';
  if (!/^https?:/.test(tokenUrl)) throw fail('the "tokenUrl" of the description is no URL');
  if (!servers.mayName(tokenUrl))
    throw fail(`the description names ${new URL(tokenUrl).origin} for tokens, which is another server than its own`);
  return { ...auth, tokenUrl };
}

/** Properties of the methods by RFC 9110. Only `DELETE` promises to remove something; any other may change something. */
const ANNOTATIONS: Readonly<Record<Method, ToolAnnotations>> = {
  get: { readOnlyHint: true, openWorldHint: true },
  head: { readOnlyHint: true, openWorldHint: true },
  options: { readOnlyHint: true, openWorldHint: true },
  put: { readOnlyHint: false, idempotentHint: true, openWorldHint: true },
  delete: { readOnlyHint: false, idempotentHint: true, destructiveHint: true, openWorldHint: true },
  post: { readOnlyHint: false, openWorldHint: true },
  patch: { readOnlyHint: false, openWorldHint: true },
};

/**
 * Returns the definition of an operation. Its schemas are built each time they are read: those of a thousand operations would take
 * a hundred times the memory of their texts.
 */
export function toolDefinition(operation: Operation, schemas: SchemaStore): ToolDefinition {
  const { name, description, method, hasOutput } = operation;
  const plan = (): OperationPlan => JSON.parse(operation.plan) as OperationPlan;
  const definition = {
    name,
    description: description === '' ? undefined : description,
    annotations: ANNOTATIONS[method],
    get inputSchema() {
      return schemas.build(plan().input, 'input');
    },
  };
  if (!hasOutput) return definition;
  return Object.defineProperty(definition, 'outputSchema', {
    enumerable: true,
    get() {
      const { output } = plan();
      return output === undefined ? undefined : schemas.build(output, 'output');
    },
  });
}
