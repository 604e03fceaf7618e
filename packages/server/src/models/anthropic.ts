import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { fetchDirectly, loadPackage, versioned } from './package.ts';

export interface AnthropicModelOptions {
  /** For example `claude-sonnet-4-5`. */
  readonly name: string;
  readonly apiKey: string;
  /** Default: `https://api.anthropic.com`. The suffix `/v1` is optional. */
  readonly baseUrl?: string | undefined;
}

/**
 * Creates a model of Anthropic that uses the prompt cache. Raises `CONFIG_INVALID` without the package `@ai-sdk/anthropic`.
 */
export async function anthropicModel({ name, apiKey, baseUrl }: AnthropicModelOptions): Promise<Model> {
  const { createAnthropic } = await loadPackage('@ai-sdk/anthropic', () => import('@ai-sdk/anthropic'));
  const provider = createAnthropic({
    apiKey,
    baseURL: versioned(baseUrl ?? 'https://api.anthropic.com'),
    fetch: fetchDirectly,
  });
  return languageModel({
    name: `anthropic/${name}`,
    model: provider(name),
    secrets: [apiKey],
    keyVariable: 'ANTHROPIC_API_KEY',
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  });
}
