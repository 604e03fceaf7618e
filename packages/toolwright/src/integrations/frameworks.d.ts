// The parts of agent frameworks that the integrations use. The frameworks are no dependencies: their users install them. The check
// `npm run test:integrations` compiles the declarations against the real packages.

declare module '@langchain/core/tools' {
  export interface StructuredToolInterface {
    readonly name: string;
    readonly description: string;
    readonly schema: unknown;
    invoke(input: unknown, config?: { readonly signal?: AbortSignal }): Promise<unknown>;
  }
  export function tool(
    run: (
      input: Record<string, unknown>,
      config: { readonly signal?: AbortSignal; readonly writer?: (chunk: unknown) => void },
    ) => Promise<unknown>,
    fields: {
      readonly name: string;
      readonly description: string;
      readonly schema: object;
      readonly responseFormat?: string;
    },
  ): StructuredToolInterface;
}

declare module '@langchain/core/utils/json_schema' {
  export function toJsonSchema(schema: unknown): Record<string, unknown>;
}

declare module '@langchain/langgraph' {
  export function interrupt<Value, Answer>(value: Value): Answer;
}

declare module '@openai/agents' {
  export interface FunctionTool {
    readonly type: 'function';
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
    invoke(context: RunContext, input: string): Promise<unknown>;
  }
  export class RunContext {
    isToolApproved(call: { readonly toolName: string; readonly callId: string }): boolean | undefined;
  }
  export function tool(options: {
    readonly name: string;
    readonly description: string;
    readonly parameters: object;
    readonly strict: false;
    readonly needsApproval: boolean;
    readonly errorFunction: null;
    execute(
      input: unknown,
      context?: RunContext,
      details?: { readonly toolCall?: { readonly callId: string }; readonly signal?: AbortSignal },
    ): Promise<
      string | ({ type: 'text'; text: string } | { type: 'image'; image: { data: string; mediaType: string } })[]
    >;
  }): FunctionTool;
}

declare module '@mastra/core/tools' {
  export interface ToolAction {
    readonly id: string;
    readonly description: string;
    readonly inputSchema?: unknown;
    execute?(input: unknown, context: object): Promise<unknown>;
  }
  export function createTool(options: {
    readonly id: string;
    readonly description: string;
    readonly inputSchema: unknown;
    readonly toModelOutput?: (output: unknown) => unknown;
    execute(
      input: unknown,
      context?: {
        readonly abortSignal?: AbortSignal;
        readonly agent?: { readonly resumeData?: unknown; suspend?(payload: unknown): Promise<void> };
      },
    ): Promise<unknown>;
  }): ToolAction;
}

declare module '@anthropic-ai/claude-agent-sdk' {
  export interface McpSdkServerConfigWithInstance {
    readonly type: 'sdk';
    readonly name: string;
    tools?: { name: string; permission_policy?: 'always_ask' }[];
  }
  export function tool(
    name: string,
    description: string,
    shape: unknown,
    run: (
      input: Record<string, unknown>,
      extra: unknown,
    ) => Promise<{
      content: ({ type: 'text'; text: string } | { type: 'image' | 'audio'; data: string; mimeType: string })[];
      isError?: boolean;
    }>,
  ): object;
  export function createSdkMcpServer(options: {
    readonly name: string;
    readonly version: string;
    readonly instructions: string;
    readonly tools: object[];
  }): McpSdkServerConfigWithInstance;
}
