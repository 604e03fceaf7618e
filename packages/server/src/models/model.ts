/** A tool that a model may ask for. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: object;
}

/** What a model asks to have done. */
export interface ModelCall {
  /** Ties the result to it. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** What is wrong with it, when the provider's answer could not be read as a call: for the model. */
  readonly problem?: string;
}

/** One message of a conversation. All of it is JSON, so that it can be kept and sent again. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ModelCall[];
      /** What the provider wants to get back with it (signed thoughts, ids); only the model that made it reads it. */
      readonly native?: { readonly model: string; readonly content: unknown };
    }
  | {
      readonly role: 'tool';
      readonly call: string;
      readonly tool: string;
      readonly text: string;
      readonly isError?: boolean;
    };

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
  /** Hears the text as it comes. What it heard is void when the request fails. */
  readonly onText?: (delta: string) => void;
  /** Hears that something came, text or not: who waits knows that it goes on. */
  readonly onActivity?: () => void;
}

/** Tokens as the provider counts them. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that came out of the provider's cache. */
  readonly cachedTokens: number;
}

export interface ModelAnswer {
  readonly message: Extract<ModelMessage, { role: 'assistant' }>;
  /** `length`: cut off at the provider's limit; `refused`: held back by its filter. */
  readonly end: 'stop' | 'calls' | 'length' | 'refused';
  /** Absent when the provider does not tell. */
  readonly usage?: ModelUsage;
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of tokens out of the provider's cache; as `input` when not given. */
  readonly cachedInput?: number;
}

/** A language model of a provider. */
export interface Model {
  /** `provider/name`, as it was chosen. */
  readonly name: string;
  /** Absent where nobody knows it: then costs are not counted. */
  readonly price?: ModelPrice;
  /**
   * Answers once; nothing is tried again here. Raises `MODEL_UNAVAILABLE` for what may work later (429, 5xx, no network, a
   * cut stream; `details.retryAfterMs` when the provider said when), `ACCESS_DENIED` for a key that is not accepted,
   * `MODEL_FAILED` for any other refusal, and whatever the signal was aborted with. No key is in any of them.
   */
  answer(request: ModelRequest): Promise<ModelAnswer>;
}

/** Opens models by name; `undefined` is the configured one. Raises `CONFIG_INVALID`, which says what to set or install. */
export type OpenModel = (name?: string) => Promise<Model>;
