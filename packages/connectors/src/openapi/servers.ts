import { isUrl } from '../api/urls.ts';
import { listOf, objectOf, textOf } from '../content/json-values.ts';
import { ToolwrightError } from '../errors.ts';
import type { OpenApiServerConfig } from '../servers/server-config.ts';
import type { ApiDocument } from './description/document.ts';
import { swagger2Server } from './operations/swagger2.ts';

/** The addresses of an API. */
export interface ApiServers {
  readonly baseUrl: string;
  /** Returns the address of an operation that names its server. Raises `CONFIG_INVALID` for a relative address. */
  urlOf(server: string | undefined): string;
  /**
   * Returns whether the description may say that credentials are for this address. One that comes from the network could name
   * any server, so it names only its own.
   */
  mayName(url: string): boolean;
  /** Returns the addresses that receive the credentials: those of the API and of its operations that the description may name. */
  trusted(operationServers: Iterable<string | undefined>): readonly string[];
}

/** Finds the addresses of an API. Raises `CONFIG_INVALID` when the configuration must have `baseUrl`. */
export function readServers(name: string, config: OpenApiServerConfig, document: ApiDocument): ApiServers {
  const absolute = (server: string): string => {
    const base = isUrl(config.openapi) ? config.openapi : undefined;
    if (URL.canParse(server, base) && isUrl(new URL(server, base).href)) return new URL(server, base).href;
    const text = `${name}: the server of the description is ${JSON.stringify(server)}, which is no complete URL. Set mcpServers.${name}.baseUrl.`;
    throw new ToolwrightError('CONFIG_INVALID', text);
  };
  const baseUrl = config.baseUrl ?? absolute(documentServer(name, config, document));
  const named = [config.baseUrl, isUrl(config.openapi) ? config.openapi : undefined].filter((url) => url !== undefined);
  const origins = new Set(named.map((url) => new URL(url).origin));
  const urlOf = (server: string | undefined) =>
    server === undefined || config.baseUrl !== undefined ? baseUrl : absolute(server);
  const mayName = (url: string) => !isUrl(config.openapi) || origins.has(new URL(url).origin);
  return {
    baseUrl,
    urlOf,
    mayName,
    trusted: (servers) =>
      [baseUrl, ...[...new Set(servers)].flatMap((server) => urlsOf(urlOf, server))].filter(mayName),
  };
}

/** A relative address without a base fails the calls of its operation only. */
function urlsOf(urlOf: ApiServers['urlOf'], server: string | undefined): string[] {
  try {
    return [urlOf(server)];
  } catch {
    return [];
  }
}

function documentServer(name: string, { variables = {} }: OpenApiServerConfig, document: ApiDocument): string {
  if (document.get(['swagger']) !== undefined) return swagger2Server(document);
  const [first] = listOf(document.get(['servers']));
  const server = objectOf(first);
  const known = objectOf(server.variables);
  const invalid = (text: string) => new ToolwrightError('CONFIG_INVALID', `mcpServers.${name}.variables: ${text}.`);
  const unknown = Object.keys(variables).find((variable) => !Object.hasOwn(known, variable));
  if (unknown !== undefined) {
    const names = Object.keys(known).join(', ') || 'none';
    throw invalid(`the description has no variable ${JSON.stringify(unknown)}; its variables are: ${names}`);
  }
  return (textOf(server.url) ?? '/').replace(/\{([^{}]*)\}/g, (_whole, variable: string) => {
    const own = objectOf(Object.hasOwn(known, variable) ? known[variable] : undefined);
    const value = Object.hasOwn(variables, variable) ? variables[variable] : own.default;
    const values = listOf(own.enum).map(String);
    if (value === undefined) throw invalid(`${JSON.stringify(variable)} has no default, so it needs a value`);
    if (values.length === 0 || values.includes(String(value))) return String(value);
    throw invalid(`${JSON.stringify(variable)} must be one of ${values.join(', ')}`);
  });
}
