import type { Model, ModelRequest } from '@toolwright/server';

/** One reply of the provider behind a model. */
export type ProviderReply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly { readonly tool: string; readonly input: object }[] }
  /** An HTTP error, with `Retry-After` where `retryAfterSeconds` is set. */
  | { readonly kind: 'error'; readonly status: number; readonly retryAfterSeconds?: number }
  /** A stream that ends in the middle of the answer. */
  | { readonly kind: 'cut' }
  /** A provider that accepts the request and sends nothing for 10 seconds or more. */
  | { readonly kind: 'silence' };

/** Opens the model under test on a provider of the test, a mock server for instance. */
export interface ModelFixture {
  /** Returns a model whose provider answers requests with these replies, in order. */
  open(replies: readonly ProviderReply[]): Model | Promise<Model>;
  /** Kinds of replies that the provider of the test cannot give. Default: none. */
  readonly cannot?: readonly ProviderReply['kind'][];
}

/** One rule of the port. */
export interface ModelCase {
  readonly name: string;
  readonly replies: readonly ProviderReply[];
  /** Raises an `AssertionError` when the model breaks the rule. */
  run(model: Model): Promise<void>;
}

/** Returns a request with one message and one tool. */
export function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'You are a test.',
    messages: [{ role: 'user', text: 'Order tea.' }],
    tools: [
      {
        name: 'execute_code',
        description: 'Runs a program.',
        inputSchema: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
      },
    ],
    signal: AbortSignal.timeout(20_000),
    ...overrides,
  };
}
