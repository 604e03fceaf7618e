import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { fetchDirectly, loadPackage } from './package.ts';

export interface GoogleModelOptions {
  /** For example `gemini-2.5-pro`. */
  readonly name: string;
  readonly apiKey: string;
  /** Default: `https://generativelanguage.googleapis.com/v1beta`. */
  readonly baseUrl?: string | undefined;
}

/** Creates a Gemini model. Raises `CONFIG_INVALID` without the package `@ai-sdk/google`. */
export async function googleModel({ name, apiKey, baseUrl }: GoogleModelOptions): Promise<Model> {
  const { createGoogleGenerativeAI } = await loadPackage('@ai-sdk/google', () => import('@ai-sdk/google'));
  const provider = createGoogleGenerativeAI({
    apiKey,
    baseURL: baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta',
    fetch: fetchDirectly,
  });
  return languageModel({
    name: `google/${name}`,
    model: provider(name),
    secrets: [apiKey],
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
  });
}
