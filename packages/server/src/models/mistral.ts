import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { loadPackage, versioned } from './package.ts';

export interface MistralModelOptions {
  /** As `mistral-large-latest`. */
  readonly name: string;
  readonly apiKey: string;
  /** Default: Mistral's own; `/v1` may be left out. */
  readonly baseUrl?: string | undefined;
}

/** A model of Mistral. Needs the package `@ai-sdk/mistral`; raises `CONFIG_INVALID` without it. */
export async function mistralModel({ name, apiKey, baseUrl }: MistralModelOptions): Promise<Model> {
  const { createMistral } = await loadPackage('@ai-sdk/mistral', () => import('@ai-sdk/mistral'));
  const provider = createMistral({ apiKey, baseURL: versioned(baseUrl ?? 'https://api.mistral.ai') });
  return languageModel({
    name: `mistral/${name}`,
    model: provider(name),
    secrets: [apiKey],
    keyVariable: 'MISTRAL_API_KEY',
  });
}
