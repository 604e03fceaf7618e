import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { fetchDirectly, loadPackage } from './package.ts';

export interface OpenaiModelOptions {
  /** For example `gpt-5`. */
  readonly name: string;
  readonly apiKey: string;
  /** Default: `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined;
}

/**
 * Creates a model of OpenAI that uses the Responses API and asks OpenAI to store nothing. Raises `CONFIG_INVALID` without
 * the package `@ai-sdk/openai`.
 */
export async function openaiModel({ name, apiKey, baseUrl }: OpenaiModelOptions): Promise<Model> {
  const { createOpenAI } = await loadPackage('@ai-sdk/openai', () => import('@ai-sdk/openai'));
  const provider = createOpenAI({
    apiKey,
    baseURL: baseUrl ?? 'https://api.openai.com/v1',
    fetch: fetchDirectly,
  });
  return languageModel({
    name: `openai/${name}`,
    model: provider(name),
    secrets: [apiKey],
    keyVariable: 'OPENAI_API_KEY',
    providerOptions: { openai: { store: false } },
  });
}
