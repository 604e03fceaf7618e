/** A content block of MCP with an image or a recording (specification: Tools, Tool Result). */
export interface MediaBlock {
  readonly type: 'image' | 'audio';
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A tool that a model may call. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: object;
}

/** A tool call of a model. */
export interface ModelCall {
  /** The result refers to this id. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** Set when the provider's answer is not a valid call: the problem, as the model reads it. */
  readonly problem?: string;
}

/** One message of a conversation. It is plain JSON, because transcripts keep it. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ModelCall[];
      /** Data that the provider expects back (signed reasoning, ids). Only the same model reads it. */
      readonly native?: { readonly model: string; readonly content: unknown };
    }
  | {
      readonly role: 'tool';
      readonly call: string;
      readonly tool: string;
      readonly text: string;
      readonly isError?: boolean;
      /** Images and recordings after the text. A model that cannot read them ignores them. */
      readonly media?: readonly MediaBlock[];
    };

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
  /** The most tokens of the answer. Default: the provider's. */
  readonly maxTokens?: number;
  /** Receives the text in pieces. Discard the pieces when the request fails. */
  readonly onText?: (delta: string) => void;
  /** Called for each received piece, text or not: it proves that the provider is alive. */
  readonly onActivity?: () => void;
}

/** Tokens as the provider counts them. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that the provider read from its cache. */
  readonly cachedTokens: number;
}

export interface ModelAnswer {
  readonly message: Extract<ModelMessage, { role: 'assistant' }>;
  /** `length`: cut off at the provider's limit; `refused`: blocked by its content filter. */
  readonly end: 'stop' | 'calls' | 'length' | 'refused';
  /** Absent when the provider does not report it. */
  readonly usage?: ModelUsage;
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Price of tokens from the provider's cache. Default: `input`. */
  readonly cachedInput?: number;
}

/** A language model of a provider. */
export interface Model {
  /** `provider/name`, as in the configuration or request. */
  readonly name: string;
  /** Absent when unknown: costs are not counted then. */
  readonly price?: ModelPrice;
  /**
   * Sends one request, without retries. Raises `MODEL_UNAVAILABLE` for temporary failures (429, 5xx, no network, a cut
   * stream), with `details.retryAfterMs` from `Retry-After`. Raises `ACCESS_DENIED` for a refused key, `MODEL_FAILED` for
   * any other refusal, and the reason of an aborted signal. No error contains a key.
   */
  answer(request: ModelRequest): Promise<ModelAnswer>;
}

/** Opens a model by name. Default: the configured model. Raises `CONFIG_INVALID` with the setting or package to add. */
export type OpenModel = (name?: string) => Promise<Model>;
