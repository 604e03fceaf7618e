import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { loadPackage, versioned } from './package.ts';

export interface OpenaiCompatibleModelOptions {
  /** What answers, as `ollama`: the first part of the model's name. */
  readonly provider: string;
  /** As `qwen3:8b`. */
  readonly name: string;
  /** `/v1` may be left out. */
  readonly baseUrl: string;
  /** None for most servers of one's own. */
  readonly apiKey?: string | undefined;
  /** The variable that holds it, for messages. */
  readonly keyVariable?: string | undefined;
}

/**
 * A model behind a chat completions API: Ollama, vLLM, LM Studio, OpenRouter. Needs the package `@ai-sdk/openai-compatible`;
 * raises `CONFIG_INVALID` without it.
 */
export async function openaiCompatibleModel(options: OpenaiCompatibleModelOptions): Promise<Model> {
  const { provider: kind, name, baseUrl, apiKey, keyVariable } = options;
  const load = () => import('@ai-sdk/openai-compatible');
  const { createOpenAICompatible } = await loadPackage('@ai-sdk/openai-compatible', load);
  const provider = createOpenAICompatible({
    name: kind,
    baseURL: versioned(baseUrl),
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  return languageModel({
    name: `${kind}/${name}`,
    model: provider(name),
    secrets: apiKey === undefined ? [] : [apiKey],
    ...(keyVariable === undefined ? {} : { keyVariable }),
  });
}
