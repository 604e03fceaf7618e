import { ToolwrightError } from '@toolwright/core';
import { anthropicModel } from './anthropic.ts';
import { bedrockModel } from './bedrock.ts';
import { googleModel } from './google.ts';
import { mistralModel } from './mistral.ts';
import type { Model, ModelPrice, OpenModel } from './model.ts';
import { openaiModel } from './openai.ts';
import { openaiCompatibleModel } from './openai-compatible.ts';
import { scriptedModelFrom } from './scripted.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelSettings {
  /** The model of tasks without a model. Default: `LLM_MODEL`. */
  readonly model?: string | undefined;
  /** The environment with keys and base URLs. Default: `process.env`. */
  readonly env?: Environment;
  /** Prices by `provider/name`. They override the built-in table. */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
}

/** Returns one variable. Raises `CONFIG_INVALID` when it is not set. */
type Required = (variable: string) => string;
type OpenKeyed = (options: { name: string; apiKey: string; baseUrl: string | undefined }) => Promise<Model>;
type Provider = (name: string, env: Environment, required: Required) => Promise<Model>;

/** Providers with a required key, `<variables>_API_KEY`, and an optional base URL, `<variables>_BASE_URL`. */
const KEYED: Readonly<Record<string, { readonly open: OpenKeyed; readonly variables: string }>> = {
  anthropic: { open: anthropicModel, variables: 'ANTHROPIC' },
  openai: { open: openaiModel, variables: 'OPENAI' },
  google: { open: googleModel, variables: 'GOOGLE_GENERATIVE_AI' },
  mistral: { open: mistralModel, variables: 'MISTRAL' },
};

/** Servers with OpenAI's chat completions API: their variables, their default URLs, and whether they need a key. */
const COMPATIBLE: Readonly<Record<string, { url: string; urlDefault?: string; key?: string; needsKey?: true }>> = {
  ollama: { url: 'OLLAMA_BASE_URL', urlDefault: 'http://127.0.0.1:11434/v1' },
  vllm: { url: 'VLLM_BASE_URL', urlDefault: 'http://127.0.0.1:8000/v1', key: 'VLLM_API_KEY' },
  lmstudio: { url: 'LMSTUDIO_BASE_URL', urlDefault: 'http://127.0.0.1:1234/v1' },
  openrouter: {
    url: 'OPENROUTER_BASE_URL',
    urlDefault: 'https://openrouter.ai/api/v1',
    key: 'OPENROUTER_API_KEY',
    needsKey: true,
  },
  'openai-compatible': { url: 'OPENAI_COMPATIBLE_BASE_URL', key: 'OPENAI_COMPATIBLE_API_KEY' },
};

/** Returns the variable of the key for a model `provider/name`; `undefined` for a provider without a key. */
export function keyVariableOf(model: string): string | undefined {
  const [provider = ''] = model.split('/');
  if (Object.hasOwn(KEYED, provider)) return `${KEYED[provider]?.variables}_API_KEY`;
  return Object.hasOwn(COMPATIBLE, provider) ? COMPATIBLE[provider]?.key : undefined;
}

const PROVIDERS: Readonly<Record<string, Provider>> = {
  ...Object.fromEntries(
    Object.entries(KEYED).map(([provider, { open, variables }]): [string, Provider] => [
      provider,
      (name, env, required) =>
        open({ name, apiKey: required(`${variables}_API_KEY`), baseUrl: env[`${variables}_BASE_URL`] || undefined }),
    ]),
  ),
  bedrock: (name, env, required) =>
    bedrockModel({
      name,
      region: required('AWS_REGION'),
      baseUrl: env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME || undefined,
      credentials: env.AWS_BEARER_TOKEN_BEDROCK
        ? { apiKey: env.AWS_BEARER_TOKEN_BEDROCK }
        : {
            accessKeyId: required('AWS_ACCESS_KEY_ID'),
            secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
            sessionToken: env.AWS_SESSION_TOKEN || undefined,
          },
    }),
  ...Object.fromEntries(
    Object.entries(COMPATIBLE).map(([provider, { url, urlDefault, key, needsKey }]): [string, Provider] => [
      provider,
      (name, env, required) =>
        openaiCompatibleModel({
          provider,
          name,
          baseUrl: env[url] || urlDefault || required(url),
          apiKey: needsKey && key ? required(key) : (key && env[key]) || undefined,
          keyVariable: key,
        }),
    ]),
  ),
  scripted: (path) => scriptedModelFrom(path),
};

/** The most open models. Requests may name any number of models. */
const MAX_OPENED = 100;
const EXAMPLE = 'anthropic/claude-sonnet-4-5';

/**
 * Returns a function that opens models by `provider/name` with the keys of the environment. It opens each model once.
 * `scripted/…` reads a file of this machine, so it is allowed in the configuration only, never in a request.
 */
export function openModels(settings: ModelSettings = {}): OpenModel {
  const { env = process.env, model: configured = env.LLM_MODEL, prices = {} } = settings;
  const opened = new Map<string, Promise<Model>>();
  return async (name = configured) => {
    if (name === undefined || name === '') {
      const message = `No model is configured. Set LLM_MODEL, for instance LLM_MODEL=${EXAMPLE}, and the provider's key.`;
      throw new ToolwrightError('CONFIG_INVALID', message);
    }
    let model = opened.get(name);
    if (model === undefined) {
      const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
      model = open(name, configured, env).then((found) => (price === undefined ? found : { ...found, price }));
      // A failure is not stored: the missing key may be set later, and invalid names must not fill the map.
      await model;
      if (opened.size >= MAX_OPENED) opened.clear();
      opened.set(name, model);
    }
    return model;
  };
}

async function open(name: string, configured: string | undefined, env: Environment): Promise<Model> {
  const [, kind = '', rest = ''] = /^([^/]+)\/(.+)$/s.exec(String(name).slice(0, 300)) ?? [];
  if (kind === '') {
    throw invalid(
      `The name of a model is provider/name, for instance ${EXAMPLE}, not ${JSON.stringify(String(name).slice(0, 100))}.`,
    );
  }
  const provider = Object.hasOwn(PROVIDERS, kind) ? PROVIDERS[kind] : undefined;
  if (provider === undefined) {
    const known = Object.keys(PROVIDERS).join(', ');
    throw invalid(`Unknown model provider ${JSON.stringify(kind)}. The providers are: ${known}.`);
  }
  if (kind === 'scripted' && name !== configured) {
    throw invalid('A scripted model is set by LLM_MODEL or the configuration, not by a request.');
  }
  return provider(rest, env, (variable) => {
    const value = env[variable];
    if (value !== undefined && value !== '') return value;
    throw invalid(`${kind}/${rest} needs the environment variable ${variable}, which is not set.`);
  });
}

function invalid(message: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', message);
}
