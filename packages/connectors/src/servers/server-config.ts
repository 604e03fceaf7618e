/** The default timeout of a tool call, in milliseconds. */
export const DEFAULT_CALL_TIMEOUT_MS = 600_000;

/** Default milliseconds of a tool call with reports of progress. */
export const DEFAULT_MAX_CALL_TIMEOUT_MS = 3_600_000;

/** The default timeout for starting a server or connecting to it, in milliseconds. */
export const DEFAULT_START_TIMEOUT_MS = 30_000;

/** The tools of a server that the catalog contains. Patterns match whole names; `*` matches any characters. */
export interface ToolFilter {
  /** Includes only tools that match one of these patterns. Default: all. */
  readonly allow?: readonly string[] | undefined;
  /** Excludes tools that match one of these patterns, even if `allow` includes them. Default: none. */
  readonly deny?: readonly string[] | undefined;
}

/**
 * The protocol revisions to try. `auto` sends `server/discover` and falls back to `initialize`. `legacy` sends `initialize`
 * only (revisions up to 2025-11-25). `modern` is revision 2026-07-28 only.
 */
export type ProtocolMode = 'auto' | 'legacy' | 'modern';

/** The options of every kind of server. */
export interface CommonServerConfig {
  /** One line about the server. Default: the server's own description. */
  readonly description?: string | undefined;
  /** Milliseconds per tool call. A report of progress starts them again. Default {@link DEFAULT_CALL_TIMEOUT_MS}. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds per tool call in all, with reports of progress. Default {@link DEFAULT_MAX_CALL_TIMEOUT_MS}. */
  readonly maxTimeoutMs?: number | undefined;
  /** Milliseconds to start or connect, and for each page of the tool list. Default {@link DEFAULT_START_TIMEOUT_MS}. */
  readonly startTimeoutMs?: number | undefined;
  readonly tools?: ToolFilter | undefined;
  /** Whether clients that hide tools until a search always show those of this server. Only such clients use it. */
  readonly alwaysLoad?: boolean | undefined;
}

/** The questions that a server may ask during a call. */
export interface QuestionSettings {
  /** Forms and pages for a person. Default: true. */
  readonly elicitation?: boolean | undefined;
  /** Answers of a model, at the cost of the user. Default: false. */
  readonly sampling?: boolean | undefined;
  /** The folder of the session's workspace. Only for servers that Toolwright starts. Default: false. */
  readonly roots?: boolean | undefined;
}

/** The options of every MCP server. */
export interface CommonMcpServerConfig extends CommonServerConfig {
  readonly questions?: QuestionSettings | undefined;
  /** Default `auto`. */
  readonly protocol?: ProtocolMode | undefined;
}

/** A server that Toolwright starts as a child process. The protocol runs over its stdin and stdout. */
export interface StdioServerConfig extends CommonMcpServerConfig {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables in addition to the short list of harmless ones that every server gets. No others are passed on. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** A file of further variables, in the format of `.env`. `env` has priority. */
  readonly envFile?: string | undefined;
  /** Absolute path of the working directory. Default: the folder of the configuration file; without one, that of Toolwright. */
  readonly cwd?: string | undefined;
}

/** A server that runs elsewhere, with its URL. */
export interface HttpServerConfig extends CommonMcpServerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Headers of the client's HTTP request that each call carries: their names by the names that the server gets, in lower case. Such a
   * server has no logins. Default: none.
   */
  readonly forwardHeaders?: Readonly<Record<string, string>> | undefined;
  /** `http` is Streamable HTTP, `sse` the deprecated HTTP+SSE. Default: `http`, then `sse` if the server rejects it. */
  readonly type?: 'http' | 'sse' | undefined;
  /**
   * How clients log in. Default: a server that answers 401 with a challenge gets tokens of its issuer. `false`: never. With a
   * configured header `authorization` there is no login either.
   */
  readonly oauth?: OAuthSettings | false | undefined;
}

/** How an OAuth client gets tokens for a server. */
export interface OAuthSettings {
  /**
   * `authorization_code` (default): a person logs in. `client_credentials`: the client itself, by its secret or key.
   * `jwt_bearer`: an assertion of another issuer, for workloads (RFC 7523). `enterprise`: an identity token of the provider `idp`.
   */
  readonly grant?: 'authorization_code' | 'client_credentials' | 'jwt_bearer' | 'enterprise' | undefined;
  /** The id of a registered client. Default: the client is registered at the first login. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** A private key in PEM (PKCS #8) with which the client signs token requests, in place of a secret. */
  readonly privateKey?: string | undefined;
  /** The algorithm of `privateKey`. Default: `ES256`. */
  readonly keyAlgorithm?: string | undefined;
  /** The assertion of the grant `jwt_bearer`. It is read again for each token. */
  readonly assertion?: string | undefined;
  /** The identity provider of the grant `enterprise`. */
  readonly idp?: IdentityProvider | undefined;
  /** HTTPS URL of the metadata document of the client, which is its id where an issuer accepts one. */
  readonly clientMetadataUrl?: string | undefined;
  /** Scopes to request always. Default: those that the server asks for. */
  readonly scopes?: readonly string[] | undefined;
  /** `false` sends no resource indicator (RFC 8707), which some issuers reject. */
  readonly resource?: false | undefined;
  /** Port of the callback on this machine. Default: a free one. */
  readonly callbackPort?: number | undefined;
  /** Whether tokens are bound to a key of this client (DPoP, RFC 9449). Default: false. */
  readonly dpop?: boolean | undefined;
}

/** An identity provider that manages the access of its users to servers. */
export interface IdentityProvider {
  /** URL of its token endpoint. */
  readonly tokenUrl: string;
  /** The client of the identity provider. */
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** The identity token of the user. It is read again for each token. */
  readonly idToken: string;
}

/** The configuration of one MCP server. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;

/** The credentials for an API. */
export type ApiAuth =
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | {
      readonly type: 'apiKey';
      readonly value: string;
      /** Default: that of the description. */
      readonly in?: 'header' | 'query' | 'cookie' | undefined;
      /** Name of the header, parameter or cookie. Default: that of the description. */
      readonly name?: string | undefined;
    }
  | {
      /** The grant `client_credentials` of OAuth 2. */
      readonly type: 'oauth2';
      readonly clientId: string;
      readonly clientSecret: string;
      /** Default: that of the description. */
      readonly tokenUrl?: string | undefined;
      readonly scopes?: readonly string[] | undefined;
      /** Further fields of the token request, for example `audience`. */
      readonly parameters?: Readonly<Record<string, string>> | undefined;
    };

/** The options of every API without MCP. */
export interface CommonApiConfig extends CommonServerConfig {
  /** Headers of every request to the API. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly auth?: ApiAuth | undefined;
}

/** An HTTP API with an OpenAPI description (Swagger 2.0, OpenAPI 3.0 or 3.1). */
export interface OpenApiServerConfig extends CommonApiConfig {
  /** Absolute path or URL of the description, in JSON or YAML. */
  readonly openapi: string;
  /** URL of the API. Default: the first server of the description. */
  readonly baseUrl?: string | undefined;
  /** Values of the variables in the description's server URL. Default: those of the description. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** A GraphQL API. */
export interface GraphqlServerConfig extends CommonApiConfig {
  /** URL of the endpoint. */
  readonly graphql: string;
  /** Absolute path of the schema: SDL, or the JSON of an introspection. Default: introspection of the endpoint. */
  readonly schema?: string | undefined;
}

/** The configuration of one server. */
export type ServerConfig = McpServerConfig | OpenApiServerConfig | GraphqlServerConfig;

/** A server whose entry in the configuration has a mistake. */
export interface InvalidServer {
  /** The mistakes, each with its path and its fix, without values and end marks. */
  readonly problems: readonly string[];
}

/** Fills the secrets in the configuration of a server, before each connection. Raises `CONFIG_INVALID`. */
export type FillSecrets = <Config extends ServerConfig>(server: string, config: Config) => Promise<Config>;
