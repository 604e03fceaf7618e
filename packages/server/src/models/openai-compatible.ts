import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { fetchDirectly, loadPackage, versioned } from './package.ts';

export interface OpenaiCompatibleModelOptions {
  /** The first part of the model's name, for example `ollama`. */
  readonly provider: string;
  /** For example `qwen3:8b`. */
  readonly name: string;
  /** The suffix `/v1` is optional. */
  readonly baseUrl: string;
  /** Most self-hosted servers need no key. */
  readonly apiKey?: string | undefined;
  /** The environment variable of the key, for error messages. */
  readonly keyVariable?: string | undefined;
}

/**
 * Creates a model behind a chat completions API: Ollama, vLLM, LM Studio, OpenRouter. Raises `CONFIG_INVALID` without the
 * package `@ai-sdk/openai-compatible`.
 */
export async function openaiCompatibleModel(options: OpenaiCompatibleModelOptions): Promise<Model> {
  const { provider: kind, name, baseUrl, apiKey, keyVariable } = options;
  const load = () => import('@ai-sdk/openai-compatible');
  const { createOpenAICompatible } = await loadPackage('@ai-sdk/openai-compatible', load);
  const provider = createOpenAICompatible({
    name: kind,
    baseURL: versioned(baseUrl),
    includeUsage: true,
    fetch: fetchDirectly,
    apiKey,
  });
  return languageModel({
    name: `${kind}/${name}`,
    model: provider(name),
    secrets: apiKey === undefined ? [] : [apiKey],
    keyVariable,
  });
}
