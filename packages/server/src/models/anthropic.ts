import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { loadPackage, versioned } from './package.ts';

export interface AnthropicModelOptions {
  /** As `claude-sonnet-4-5`. */
  readonly name: string;
  readonly apiKey: string;
  /** Default: Anthropic's own; `/v1` may be left out. */
  readonly baseUrl?: string | undefined;
}

/** A model of Anthropic, with its prompt cache. Needs the package `@ai-sdk/anthropic`; raises `CONFIG_INVALID` without it. */
export async function anthropicModel({ name, apiKey, baseUrl }: AnthropicModelOptions): Promise<Model> {
  const { createAnthropic } = await loadPackage('@ai-sdk/anthropic', () => import('@ai-sdk/anthropic'));
  const provider = createAnthropic({ apiKey, baseURL: versioned(baseUrl ?? 'https://api.anthropic.com') });
  return languageModel({
    name: `anthropic/${name}`,
    model: provider(name),
    secrets: [apiKey],
    keyVariable: 'ANTHROPIC_API_KEY',
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  });
}
