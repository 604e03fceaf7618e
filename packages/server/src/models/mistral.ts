import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { fetchDirectly, loadPackage, versioned } from './package.ts';

export interface MistralModelOptions {
  /** For example `mistral-large-latest`. */
  readonly name: string;
  readonly apiKey: string;
  /** Default: `https://api.mistral.ai`. The suffix `/v1` is optional. */
  readonly baseUrl?: string | undefined;
}

/** Creates a model of Mistral. Raises `CONFIG_INVALID` without the package `@ai-sdk/mistral`. */
export async function mistralModel({ name, apiKey, baseUrl }: MistralModelOptions): Promise<Model> {
  const { createMistral } = await loadPackage('@ai-sdk/mistral', () => import('@ai-sdk/mistral'));
  const provider = createMistral({
    apiKey,
    baseURL: versioned(baseUrl ?? 'https://api.mistral.ai'),
    fetch: fetchDirectly,
  });
  return languageModel({
    name: `mistral/${name}`,
    model: provider(name),
    secrets: [apiKey],
    keyVariable: 'MISTRAL_API_KEY',
  });
}
