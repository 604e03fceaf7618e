// The sources of tools: MCP servers, OpenAPI, GraphQL and functions.
export type {
  Connector,
  ConnectorStatus,
  OmittedTool,
  RawResult,
  ToolCallOptions,
  ToolEndpoint,
} from './connector.ts';
export {
  type InlineConnectorOptions,
  type InlineServers,
  type InlineTool,
  type InlineToolContext,
  inlineConnector,
} from './inline/inline.ts';
export type { StandardSchemaV1 } from './inline/standard-schema.ts';
export type { AnyServers } from './inline/tool-types.ts';
export {
  callLeft,
  type FormSchema,
  type InputAnswer,
  type InputDetails,
  type InputOptions,
  type InputRequest,
  type SamplingInput,
  type TaskWait,
} from './input.ts';
export { mcpConnector } from './mcp/mcp-connector.ts';
export type { LoginState } from './mcp/oauth/login-state.ts';
export type {
  CompletionRequest,
  CompletionValues,
  ContextOptions,
  ContextSource,
  ListedResources,
  PromptDefinition,
  PromptMessages,
  ResourceContents,
  ResourceDefinition,
  ResourceTemplateDefinition,
} from './resource.ts';
export type {
  ApiAuth,
  FillSecrets,
  HttpServerConfig,
  InvalidServer,
  OAuthSettings,
  ServerConfig,
  StdioServerConfig,
} from './servers/server-config.ts';
export {
  acceptedAnnotations,
  type Detail,
  type JsonSchema,
  resultSchema,
  type Tool,
  type ToolAnnotations,
  type ToolDefinition,
  type ToolIdentity,
  type ToolLanguage,
  toolId,
} from './tools/tool.ts';
