/** A document, file or record that a server offers for reading (specification: Resources). */
export interface ResourceDefinition {
  /** The server's name for it, which only that server can read: Toolwright never opens it. */
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes, as the server claims. */
  readonly size?: number;
  /** The settings of a view (MCP Apps), such as its content security policy. */
  readonly _meta?: { readonly ui: Readonly<Record<string, unknown>> } | undefined;
}

/** A pattern of URIs (RFC 6570) that a server can read: `file:///{path}`. */
export interface ResourceTemplateDefinition extends Omit<ResourceDefinition, 'uri' | 'size'> {
  readonly uriTemplate: string;
}

/** The resources of a server. */
export interface ListedResources {
  readonly resources: readonly ResourceDefinition[];
  readonly templates: readonly ResourceTemplateDefinition[];
}

/** One part of a resource: text, or bytes as base64. */
export type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string;
  /** See {@link ResourceDefinition}. */
  readonly _meta?: ResourceDefinition['_meta'];
} & ({ readonly text: string } | { readonly blob: string });

/** A text for models that a server writes from arguments (specification: Prompts). */
export interface PromptDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
}

/** One argument of a prompt. Its value is a text. */
export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** A filled prompt: messages as the specification defines them. */
export interface PromptMessages {
  readonly description?: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: unknown }[];
}

/** The argument to complete: of a prompt, or of a template (specification: Completion). */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that have a value. */
  readonly context?: { readonly arguments: Readonly<Record<string, string>> };
}

/** Suggested values for an argument. */
export interface CompletionValues {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** Options of one request about resources or prompts. */
export interface ContextOptions {
  /** Aborting cancels the request, on the server too. */
  readonly signal?: AbortSignal;
  /** The user whose program or client asks. */
  readonly userId?: string;
}

/**
 * The optional part of the port `Connector` for resources and prompts. Every method raises the errors of `Connector.call`, and
 * `NOT_SUPPORTED` when the server does not offer it. Lists of a server without resources or prompts are empty.
 */
export interface ContextSource {
  /** Returns the resources and templates after the last page. */
  resources(options?: ContextOptions): Promise<ListedResources>;
  /** Reads one resource. Raises `TOOL_FAILED` with the words of the server for an unknown one. */
  readResource(uri: string, options?: ContextOptions): Promise<readonly ResourceContents[]>;
  /**
   * Calls `onUpdate` after each update of a resource that the server reports, and when one may have been missed. Resolves when the
   * server has accepted the subscription, to a function that ends it.
   */
  subscribe(uri: string, onUpdate: () => void, options?: ContextOptions): Promise<() => Promise<void>>;
  prompts(options?: ContextOptions): Promise<readonly PromptDefinition[]>;
  /** Fills a prompt. */
  getPrompt(name: string, args: Readonly<Record<string, string>>, options?: ContextOptions): Promise<PromptMessages>;
  /** Suggests values for an argument. Returns none when the server has no completions. */
  complete(request: CompletionRequest, options?: ContextOptions): Promise<CompletionValues>;
  /** Calls `listener` when a list may have changed. Returns a function that removes the listener. */
  onChanged(listener: (list: 'resources' | 'prompts') => void): () => void;
}
