import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { loadPackage } from './package.ts';

export interface OpenaiModelOptions {
  /** As `gpt-5`. */
  readonly name: string;
  readonly apiKey: string;
  /** Default: OpenAI's own, `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined;
}

/**
 * A model of OpenAI over its Responses API, asked to keep nothing. Needs the package `@ai-sdk/openai`; raises
 * `CONFIG_INVALID` without it.
 */
export async function openaiModel({ name, apiKey, baseUrl }: OpenaiModelOptions): Promise<Model> {
  const { createOpenAI } = await loadPackage('@ai-sdk/openai', () => import('@ai-sdk/openai'));
  const provider = createOpenAI({ apiKey, baseURL: baseUrl ?? 'https://api.openai.com/v1' });
  return languageModel({
    name: `openai/${name}`,
    model: provider(name),
    secrets: [apiKey],
    keyVariable: 'OPENAI_API_KEY',
    providerOptions: { openai: { store: false } },
  });
}
